/** How the browser carries a message to the application: by a redirect, or by a form it posts. */
export type Delivery =
  | { binding: 'redirect'; location: string }
  | { binding: 'post'; action: string; fields: Record<string, string>; framed?: true }

/** The answer to the browser. */
export type Outcome =
  | {
      binding: 'page'
      status: number
      title: string
      text: string
      again?: string
      /** It may be shown in a frame of our own. */
      framed?: true
    }
  | Delivery

export const redirectTo = (location: string): Outcome => ({ binding: 'redirect', location })

/** For errors unrelated to the protocol message. */
export const failurePage = (status: number, text: string): Outcome => ({
  binding: 'page',
  status,
  title: 'Something went wrong',
  text,
})
