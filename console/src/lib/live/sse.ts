/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

export interface SseParser {
  /** Takes the next piece of text, cut anywhere, and returns the events it completes. */
  push(text: string): StreamEvent[]
}

/**
 * Reads the stream by hand because EventSource hides the status of a refusal and cannot be told
 * where to resume after it was closed. Comments and `retry:` are ignored; the console has its own backoff.
 */
export function sseParser(): SseParser {
  let rest = ''
  let id: string | undefined
  let event = ''
  let data: string[] = []

  const line = (text: string): StreamEvent | undefined => {
    if (text === '') {
      const complete = data.length > 0 ? { id, event: event || 'message', data: data.join('\n') } : undefined
      event = ''
      data = []
      return complete
    }
    const colon = text.indexOf(':')
    const field = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id') id = value
    return undefined
  }

  return {
    push(text) {
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      return lines.flatMap((each) => line(each) ?? [])
    },
  }
}
