/** Debian's Chromium, from its package. */
export const CHROMIUM = '/usr/bin/chromium'
