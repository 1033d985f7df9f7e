/** What is done about differences to the provider. */
export const MODES = [
  { value: 'report', label: 'Only list differences' },
  { value: 'repair', label: 'Repair them' },
  { value: 'adopt', label: 'Repair and adopt' },
]
