/**
 * Parses the URL of a request. The runtime builds it from the Host header. With an invalid one, it is only a path, or a
 * text that no URL parser accepts. So no other code parses the URL of a request.
 */

/** For a request without a Host header, which HTTP/1.0 allows. */
const UNNAMED_HOST = 'http://localhost'

const LONGEST_HOST = 255
const HOST = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i

type Named = Pick<Request, 'url'>

/** Never throws. */
export function urlOf({ url }: Named): URL {
  return URL.parse(url.startsWith('/') ? UNNAMED_HOST + url : url) ?? new URL(UNNAMED_HOST)
}

/** The path as it was sent, not normalised. */
export const pathOf = ({ url }: Named): string => /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] || '/'

/** Whether the Host header names one host, with or without a port, or is absent. */
export function isHostValid({ headers }: Pick<Request, 'headers'>): boolean {
  const host = headers.get('host')
  return host === null || (host.length <= LONGEST_HOST && HOST.test(host) && URL.canParse(`http://${host}/`))
}
