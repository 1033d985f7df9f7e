import type { UseFormReturnType } from '@mantine/form'

/** Only what differs is sent: others may be changing the rest. */
export const changedValues = <V extends object>(
  form: UseFormReturnType<V>,
  values: V,
): Partial<V> =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => form.isDirty(name)),
  ) as unknown as Partial<V>
