const KEY = 'gatehouse-organization'

/** The one this browser showed last, if it may still be shown. */
export function lastOrganization(ids: string[]): string | undefined {
  const last = localStorage.getItem(KEY)
  return last !== null && ids.includes(last) ? last : ids[0]
}

export const rememberOrganization = (id: string): void => localStorage.setItem(KEY, id)
