const POLL_MS = 500

/** Between two looks at work that the server does. */
export const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS))
