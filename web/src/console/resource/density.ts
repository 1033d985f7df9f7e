import { useLocalStorage } from '@mantine/hooks'

export const DENSITIES = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
] as const

export type Density = (typeof DENSITIES)[number]['value']

/** How close the rows of lists are, in all lists of this browser. */
export const useDensity = () =>
  useLocalStorage<Density>({
    key: 'gatehouse-density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  })
