// Server-Sent Events by fetch: an EventSource cannot name the organization.

interface Message {
  id: string
  data: string
}

/** The messages of a body, as they arrive (WHATWG HTML §9.2, without event types). */
export async function* messagesOf(body: ReadableStream<BufferSource>): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let id = ''
  let data: string[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('id: ')) id = line.slice(4)
      else if (line.startsWith('data: ')) data.push(line.slice(6))
      else if (line === '' && data.length > 0) {
        yield { id, data: data.join('\n') }
        data = []
      }
    }
  }
}
