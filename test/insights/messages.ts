interface Message {
  id: string
  event: Record<string, unknown>
}

/** The messages of an event stream, as they arrive. */
export async function* messagesOf(response: Response): AsyncGenerator<Message> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (text + value).split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (data !== undefined) yield { id: id!, event: JSON.parse(data) }
    }
  }
}
