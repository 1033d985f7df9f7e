interface Form<V> {
  setInitialValues: (values: V) => void
  resetDirty: (values?: V) => void
}

/** The values were saved: the form goes back to them when later changes are discarded. */
export function settle<V>(form: Form<V>, values: V): void {
  form.setInitialValues(values)
  form.resetDirty(values)
}
