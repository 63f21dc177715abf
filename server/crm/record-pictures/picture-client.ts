/**
 * Fetches pictures from other hosts, under the address rules of webhook targets. Each redirect is checked as the first URL is.
 * See docs/decisions/record-pictures.md.
 */

import { Parser } from 'htmlparser2'
import { untilAborted } from '#base/timing/wait'
import { fetchAtAddress, readBeginning } from '#events/webhooks/send/send-request'
import type { TargetPolicy } from '#events/webhooks/send/target'
import { shrinkPicture } from './shrink-picture'

export interface PictureClient {
  /** Fetches the picture at a URL, and returns the image that is stored. Undefined when the URL has no picture, or the host does not send it in time. */
  fetchPicture(url: string, stopping: AbortSignal): Promise<Uint8Array | undefined>
  /** Does the same with the icon of the web page of a domain. */
  fetchLogo(domain: string, stopping: AbortSignal): Promise<Uint8Array | undefined>
}

interface PictureLimits {
  /** For a picture, or for a web page with all its icons. */
  readonly totalMs: number
}

const USUAL_LIMITS: PictureLimits = { totalMs: 10_000 }

const MAX_PICTURE_BYTES = 2_000_000
/** The links of icons stand at the beginning of a page. */
const MAX_PAGE_BYTES = 256 * 1024
const MAX_REDIRECTS = 3
/** Of those that a page names. */
const MAX_ICONS = 3

const HEADERS = { 'User-Agent': 'Mozilla/5.0 (compatible; Relata)' }

interface Fetched {
  /** The URL after redirects. */
  readonly url: string
  /** More than the limit when the body is longer. */
  readonly bytes: Uint8Array
}

/** `pageOf` is the URL of the page of a domain. */
export function createPictureClient(
  targets: TargetPolicy,
  {
    totalMs = USUAL_LIMITS.totalMs,
    pageOf = (domain) => `https://${domain}/`,
  }: Partial<PictureLimits> & { readonly pageOf?: (domain: string) => string } = {},
): PictureClient {
  async function get(first: string, limit: number, signal: AbortSignal): Promise<Fetched | undefined> {
    let url = first
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if ((await untilAborted(signal, targets.refusal(url))) !== undefined) return undefined
      const parsed = new URL(url)
      const address = await untilAborted(signal, targets.locate(parsed))
      const response = await untilAborted(
        signal,
        fetchAtAddress(parsed, address, { method: 'GET', headers: HEADERS, signal }),
      )
      const next = response.status === 200 ? undefined : locationOf(response, url)
      if (response.status === 200) return { url, bytes: await readBeginning(response, limit + 1, signal) }
      void response.body?.cancel().catch(() => undefined)
      if (next === undefined) return undefined
      url = next
    }
    return undefined
  }

  async function picture(url: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const fetched = await get(url, MAX_PICTURE_BYTES, signal)
    if (fetched === undefined || fetched.bytes.length > MAX_PICTURE_BYTES) return undefined
    return shrinkPicture(fetched.bytes)
  }

  async function logo(domain: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const page = await get(pageOf(domain), MAX_PAGE_BYTES, signal)
    const base = page?.url ?? pageOf(domain)
    const named =
      page === undefined ? [] : iconsOf(new TextDecoder().decode(page.bytes.subarray(0, MAX_PAGE_BYTES)), base)
    for (const url of new Set([...named.slice(0, MAX_ICONS), new URL('/favicon.ico', base).href])) {
      // An icon that its host refuses leaves the others.
      const found = await picture(url, signal).catch(() => undefined)
      if (found !== undefined) return found
    }
    return undefined
  }

  const within =
    (run: (address: string, signal: AbortSignal) => Promise<Uint8Array | undefined>): PictureClient['fetchPicture'] =>
    async (address, stopping) => {
      try {
        return await run(address, AbortSignal.any([stopping, AbortSignal.timeout(totalMs)]))
      } catch {
        return undefined
      }
    }
  return { fetchPicture: within(picture), fetchLogo: within(logo) }
}

/** Where a redirect leads, without its fragment. */
function locationOf({ status, headers }: Response, url: string): string | undefined {
  const location = headers.get('location')
  if (status < 300 || status >= 400 || location === null) return undefined
  return absolute(location, url)
}

function absolute(href: string, base: string): string | undefined {
  const url = URL.parse(href, base)
  if (url === null) return undefined
  url.hash = ''
  return url.href
}

interface Icon {
  readonly url: string
  readonly size: number
}

/** The size that browsers assume of an icon for home screens. */
const HOME_SCREEN_SIZE = 180

/** The URLs of the icons that a page names, the largest first. Drawings (SVG) are left out. */
export function iconsOf(html: string, base: string): string[] {
  const icons: Icon[] = []
  const parser = new Parser({
    onopentag(name, { rel = '', href = '', sizes = '', type = '' }) {
      if (name === 'body') parser.pause()
      const kinds = rel.toLowerCase().split(/\s+/)
      const isForHomeScreen = kinds.some((kind) => kind.startsWith('apple-touch-icon'))
      if (name !== 'link' || (!isForHomeScreen && !kinds.includes('icon'))) return
      const url = href === '' ? undefined : absolute(href, base)
      if (url === undefined || type === 'image/svg+xml' || new URL(url).pathname.endsWith('.svg')) return
      const size = Number(/^\d{1,4}/.exec(sizes)?.[0] ?? (isForHomeScreen ? HOME_SCREEN_SIZE : 0))
      icons.push({ url, size })
    },
  })
  parser.end(html)
  return icons.toSorted((a, b) => b.size - a.size).map(({ url }) => url)
}
