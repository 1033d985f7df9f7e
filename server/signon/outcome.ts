/** How a message leaves with the person's browser: as an address to go to, or as a form to send. */
export type Delivery =
  | { binding: 'redirect'; location: string }
  | { binding: 'post'; action: string; fields: Record<string, string> }

/** The answer to the browser. */
export type Outcome =
  | { binding: 'page'; status: number; title: string; text: string; again?: string }
  | Delivery

export const redirectTo = (location: string): Outcome => ({ binding: 'redirect', location })

/** For failures that say nothing about the request. */
export const failurePage = (status: number, text: string): Outcome => ({
  binding: 'page',
  status,
  title: 'Something went wrong',
  text,
})
