import { ApiError } from '../api/session.ts'

// Some changes to credentials need the password again. The change waits for the dialog, and is then tried once more.

type Ask = () => Promise<void>

let ask: Ask | null = null

/** The dialog of the page, while it is shown. */
export function onConfirmation(dialog: Ask): () => void {
  ask = dialog
  return () => {
    if (ask === dialog) ask = null
  }
}

export async function confirmed<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const needed =
      error instanceof ApiError && error.reason === 'password_confirmation_required' && ask
    if (!needed) throw error
    await needed()
    return change()
  }
}
