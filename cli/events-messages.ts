/** One message of the stream; a heartbeat has no data but advances the id. */
interface Message {
  id: string | undefined
  data: string | undefined
}

function readMessage(block: string): Message {
  const message: Message = { id: undefined, data: undefined }
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'id') message.id = value
    if (name === 'data')
      message.data = message.data === undefined ? value : `${message.data}\n${value}`
  }
  return message
}

/** Server-Sent Events (WHATWG HTML §9.2.6); an incomplete last message is dropped. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const part = decoder.decode(value, { stream: true })
      const blocks = (text + part).replaceAll('\r\n', '\n').split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) yield readMessage(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
