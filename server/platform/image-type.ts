/** Detected by magic bytes: the content type of the client is untrusted, but browsers trust ours. */
const KINDS = [
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['image/gif', Buffer.from('GIF87a')],
  ['image/gif', Buffer.from('GIF89a')],
] as const

type ImageType = (typeof KINDS)[number][0]

export const imageTypeOf = (content: Buffer): ImageType | undefined =>
  KINDS.find(([, start]) => content.subarray(0, start.length).equals(start))?.[0]
