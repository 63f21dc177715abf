/** The examples of a reference page: requests and their responses. See docs/reference/README.md (Examples). */

export interface ExampleRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body; undefined for a request without one. */
  readonly body: string | undefined
  /** Whether the expected response may come later, because the service works in the background. */
  readonly isEventual: boolean
}

export interface ExampleAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Example {
  /** The line of the request in the page. */
  readonly line: number
  readonly request: ExampleRequest
  readonly answer: ExampleAnswer
}

interface Block {
  readonly line: number
  readonly info: string
  readonly text: string
}

const FENCE = /^```(http\b[^\n]*)\n([\s\S]*?)^```$/gm

/** Throws for a request without a response, and for a response without a request. */
export function readExamples(page: string): Example[] {
  const blocks = [...page.matchAll(FENCE)].map(({ index, 1: info = '', 2: text = '' }): Block => ({
    line: page.slice(0, index).split('\n').length,
    info,
    text,
  }))
  const examples: Example[] = []
  for (let at = 0; at < blocks.length; at += 2) {
    const [request, answer] = [blocks[at], blocks[at + 1]]
    if (!request || !answer || isAnswer(request) || !isAnswer(answer))
      throw new Error(`Line ${request?.line}: a request is followed by its answer.`)
    examples.push({ line: request.line, request: readRequest(request), answer: readAnswer(answer) })
  }
  return examples
}

const isAnswer = ({ text }: Block): boolean => text.startsWith('HTTP/')

function readRequest({ info, text, line }: Block): ExampleRequest {
  const { first, headers, body } = readMessage(text)
  const [method, path, ...rest] = first.split(' ')
  if (!method || !path?.startsWith('/') || rest.length > 0) throw new Error(`Line ${line}: "${first}" is no request.`)
  return { method, path, headers, body, isEventual: info.split(' ').includes('eventually') }
}

function readAnswer({ text, line }: Block): ExampleAnswer {
  const { first, headers, body } = readMessage(text)
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]
  if (status === undefined) throw new Error(`Line ${line}: "${first}" is no status line.`)
  return { status: Number(status), headers, body }
}

/** Splits a message into its first line, the headers up to an empty line, and the body. */
function readMessage(text: string) {
  const [head = '', ...rest] = text.split(/\n\n/)
  const [first = '', ...lines] = head.trimEnd().split('\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
  const body = rest.join('\n\n').trim()
  return { first, headers, body: body === '' ? undefined : body }
}
