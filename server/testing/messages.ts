/** Reads the messages of a stream of server-sent events, one at a time. */

export interface Messages {
  /** Returns the fields of the next message. Throws when the stream has ended. */
  next(): Promise<Record<string, string>>
  close(): Promise<void>
}

export function messagesOf(response: Response): Messages {
  const reader = response.body?.getReader()
  const text = new TextDecoder()
  let waiting = ''
  return {
    async next() {
      for (;;) {
        const end = waiting.indexOf('\n\n')
        if (end >= 0) {
          const fields = readFields(waiting.slice(0, end))
          waiting = waiting.slice(end + 2)
          if (Object.keys(fields).length > 0) return fields
          continue
        }
        const read = await reader?.read()
        if (read === undefined || read.done) throw new Error('The stream ended.')
        waiting += text.decode(read.value, { stream: true })
      }
    },
    close: async () => reader?.cancel(),
  }
}

/** Ignores comments, which begin with a colon. */
const readFields = (message: string): Record<string, string> =>
  Object.fromEntries(
    message
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
      .filter(([name]) => name !== ''),
  )
