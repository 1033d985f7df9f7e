/** The server writes a nonce into each page; its content security policy admits style elements that carry it. */
export const styleNonce =
  document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''
