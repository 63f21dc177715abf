/** A curl command that sends a request again. */

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Headers that curl sets. */
const SET_BY_CURL = new Set(['host', 'content-length', 'connection', 'accept', 'accept-encoding', 'transfer-encoding'])

/** The command for a POSIX shell. */
export function asCurl({ method, url, headers, body }: HttpRequest): string {
  const sent = Object.entries(headers).filter(([name]) => !SET_BY_CURL.has(name.toLowerCase()))
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ')
}

/** Quotes text as one word of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
