/** Serves blobs under signed URLs, without a token. See docs/reference/files.md (Download). */

import { Elysia } from 'elysia'
import type { AppContext } from '#context'
import { downloadNotFound, rangeNotSatisfiable } from '#base/errors/meetings'
import { type Answers, newRequestId } from '#api/http/response/answer'
import { contentDisposition } from '#api/http/response/export-stream'
import { errorFromException } from '#api/http/response/error-from-exception'
import { type Download, DOWNLOADS_PATH, readDownload } from './sign-download'
import type { ByteRange } from '#crm/blobs/byte-storage'

type DownloadContext = Pick<AppContext, 'db' | 'now' | 'blobs'>

export const downloadRoutes = (context: DownloadContext, answers: Answers) =>
  new Elysia({ name: 'signed-downloads' }).get(
    `${DOWNLOADS_PATH}/:token`,
    async ({ request, params }) => {
      const id = newRequestId()
      try {
        return await serve(context, request, params.token, answers.headers(id))
      } catch (error) {
        return answers.error(request, id, errorFromException(error, request, id))
      }
    },
    { detail: { hide: true } },
  )

async function serve(
  context: DownloadContext,
  { method, headers: requested }: Request,
  token: string,
  common: Readonly<Record<string, string>>,
): Promise<Response> {
  const download = await readDownload(context, token)
  const stored = download && (await context.blobs.find(download))
  // A URL ends when the file that it was made for, and all others with the same bytes, are deleted.
  if (download === undefined || stored === undefined || stored.references === 0) throw downloadNotFound()
  const { size } = stored
  const etag = `"${download.digest.toString('hex')}"`
  const headers = { ...common, ...headersOf(download), ETag: etag, 'Accept-Ranges': 'bytes' }
  if (isCurrent(requested.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  const ifRange = requested.get('if-range')
  // Ranges are defined for GET only. RFC 9110, 14.2.
  const hasRange = method === 'GET' && (ifRange === null || ifRange === etag)
  const range = hasRange ? parseRange(requested.get('range'), size) : undefined
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(size)
  const { start, end } = range ?? { start: 0, end: size }
  const partial = range && { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }
  return new Response(context.blobs.read(download, { start, end }), {
    status: range === undefined ? 200 : 206,
    headers: { ...headers, ...partial, 'Content-Length': String(end - start) },
  })
}

const isCurrent = (ifNoneMatch: string | null, etag: string): boolean =>
  ifNoneMatch?.split(',').some((each) => each.trim().replace(/^W\//, '') === etag) === true

/** Types that browsers show without running what the file contains. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'application/pdf']

/** The document of a file has no rights: it loads nothing, runs nothing, and belongs to no origin. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

const headersOf = ({ fileName, type }: Download): Record<string, string> => ({
  'Content-Type': type,
  'Content-Disposition': contentDisposition(SHOWN.includes(type) ? 'inline' : 'attachment', fileName),
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  // Only pages of this service may show the file in a frame.
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'private, max-age=300',
})

// Reads the Range header. RFC 9110, 14.

/** Longer headers name several ranges, for which the whole file is a valid answer. */
const MAX_LENGTH = 100
const SINGLE_RANGE = /^bytes=(\d*)-(\d*)$/

/**
 * Returns the range that a header names; undefined when the whole file is the answer: without a header, for several ranges and
 * for other units. A range that contains no byte of the file is `unsatisfiable`.
 */
function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (header === null || header.length > MAX_LENGTH) return undefined
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header.replaceAll(' ', '')) ?? []
  if (first === '' && last === '') return undefined
  const range = first === '' ? suffixOf(Number(last), size) : { start: Number(first), end: endOf(last, size) }
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return range.start < range.end ? range : 'unsatisfiable'
}

const suffixOf = (length: number, size: number): ByteRange => ({ start: Math.max(size - length, 0), end: size })

const endOf = (last: string, size: number): number => (last === '' ? size : Math.min(Number(last) + 1, size))
