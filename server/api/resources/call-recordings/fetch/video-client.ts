/**
 * Requests to the hosts of videos and of audio alone, under the address rules of webhook targets: the name is resolved for each request, and a
 * redirect is not followed. See docs/reference/call-recordings.md (Videos); docs/decisions/files.md.
 */

import { untilAborted } from '#base/timing/wait'
import { fetchAtAddress } from '#events/webhooks/send/send-request'
import { TargetRefused, type TargetPolicy } from '#events/webhooks/send/target'

export interface VideoClient {
  /** The size of a video in bytes. Throws `VideoError`. */
  readSize(url: string): Promise<number>
  /** The bytes of a video, exactly `size`. Throws `VideoError`, and the reason of `signal` when that is aborted. */
  read(url: string, size: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void>
}

/** Why a video cannot be fetched, in a sentence for the caller. */
export class VideoError extends Error {
  constructor(
    message: string,
    /** Whether another attempt would fail as well. */
    readonly isFinal: boolean,
  ) {
    super(message)
  }
}

export interface VideoTimeLimits {
  /** For the answers by which the size is read. */
  readonly headMs: number
  /** In each interval of this length, `MIN_BYTES` must arrive. */
  readonly slowMs: number
  /** For a whole video. */
  readonly totalMs: number
}

const USUAL_LIMITS: VideoTimeLimits = { headMs: 5_000, slowMs: 30_000, totalMs: 3_600_000 }

interface VideoRequest {
  readonly method: 'HEAD' | 'GET'
  readonly headers?: Readonly<Record<string, string>>
}

/** The answers to HEAD of hosts that answer only GET, such as those of URLs that were signed for GET. */
const REFUSING_HEAD: ReadonlySet<number> = new Set([403, 405, 501])
/** Longer ranges have no valid size. */
const MAX_RANGE = 100

const MIN_BYTES = 64 * 1024
export const MAX_VIDEO_BYTES = 2 ** 30

export function createVideoClient(targets: TargetPolicy, limits: Partial<VideoTimeLimits> = {}): VideoClient {
  const { headMs, slowMs, totalMs } = { ...USUAL_LIMITS, ...limits }

  async function send(url: string, { method, headers = {} }: VideoRequest, signal: AbortSignal): Promise<Response> {
    const { url: parsed } = parseVideoUrl(url)
    const refusal = await untilAborted(signal, targets.refusal(url))
    if (refusal !== undefined) throw new VideoError(refusal, true)
    const address = await untilAborted(signal, targets.locate(parsed))
    return untilAborted(signal, fetchAtAddress(parsed, address, { method, headers, signal }))
  }

  return {
    async readSize(url) {
      const signal = AbortSignal.timeout(headMs)
      try {
        const response = await send(url, { method: 'HEAD' }, signal)
        if (!REFUSING_HEAD.has(response.status)) return sizeOf(response)
        return sizeOfPart(await send(url, { method: 'GET', headers: { Range: 'bytes=0-0' } }, signal))
      } catch (error) {
        if (signal.aborted) throw new VideoError(`The host did not answer within ${headMs / 1000} seconds.`, false)
        throw explain(error)
      }
    },
    async *read(url, size, stop) {
      const progress = watchProgress({ slowMs, totalMs }, stop)
      try {
        const response = await send(url, { method: 'GET' }, progress.signal)
        requireVideo(response)
        for await (const chunk of readExactly(response, size, progress.signal)) {
          progress.count(chunk.length)
          yield chunk
        }
      } catch (error) {
        throw progress.signal.aborted ? progress.signal.reason : explain(error)
      } finally {
        progress.end()
      }
    },
  }
}

/** The media types by the extension in the path of a URL. A file of the type WebM may have a video, and is played as one. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
}

/** The extension of a file of the media type. */
export const extensionOf = (mediaType: string): string =>
  Object.keys(MEDIA_TYPES).find((extension) => MEDIA_TYPES[extension] === mediaType) ?? 'mp4'

/** Throws `VideoError` for a URL whose path does not end in one of the extensions. */
export const mediaTypeOf = (url: string): string => parseVideoUrl(url).type

/** Throws `VideoError` for a URL whose path does not end in one of the extensions. `TargetPolicy.refusal` checks the rest. */
function parseVideoUrl(url: string): { readonly url: URL; readonly type: string } {
  const parsed = URL.parse(url)
  if (parsed === null) throw new VideoError('Not a URL.', true)
  const [, extension = ''] = /\.(\w{3,4})$/.exec(parsed.pathname.slice(-5)) ?? []
  const type = Object.hasOwn(MEDIA_TYPES, extension.toLowerCase()) ? MEDIA_TYPES[extension.toLowerCase()] : undefined
  if (type === undefined) throw new VideoError('The path must end in .mp4, .webm, .mp3, .m4a or .wav.', true)
  return { url: parsed, type }
}

function sizeOf(response: Response): number {
  requireVideo(response)
  const length = response.headers.get('content-length') ?? ''
  if (!/^\d{1,15}$/.test(length)) throw new VideoError('The host did not answer HEAD with Content-Length.', true)
  return requireSize(Number(length))
}

/** Reads the size of the video from the answer to a request for its first byte. */
function sizeOfPart(response: Response): number {
  void response.body?.cancel().catch(() => undefined)
  requireVideo(response, 206)
  const range = (response.headers.get('content-range') ?? '').slice(0, MAX_RANGE)
  const [, length] = /^bytes 0-0\/(\d{1,15})$/.exec(range) ?? []
  if (length === undefined) throw new VideoError('The host refuses HEAD, and did not answer GET with the size.', true)
  return requireSize(Number(length))
}

function requireSize(size: number): number {
  if (size === 0) throw new VideoError('The video is empty.', true)
  if (size > MAX_VIDEO_BYTES) throw new VideoError('The video is larger than 1 GB.', true)
  return size
}

/** Statuses below 500 that a later attempt may not get. */
const PASSING = new Set([408, 425, 429])

function requireVideo({ status, headers }: Response, expected = 200): void {
  if (status !== expected) {
    const isFinal = status < 500 && !PASSING.has(status)
    const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : ''
    throw new VideoError(`The host answered with the status ${status}${redirect}.`, isFinal)
  }
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw new VideoError('The host answered with a compressed video.', true)
}

/** Throws when the body has more or fewer bytes than `size`, and as soon as it has more. */
async function* readExactly(response: Response, size: number, signal: AbortSignal) {
  const reader = response.body?.getReader()
  let received = 0
  try {
    for (;;) {
      const { done, value } = (await (reader && untilAborted(signal, reader.read()))) ?? {
        done: true,
        value: undefined,
      }
      if (done || value === undefined) break
      received += value.length
      if (received > size) throw new VideoError('The video is larger than its host announced.', true)
      yield value
    }
    if (received < size) throw new VideoError('The connection ended before the whole video had arrived.', false)
  } finally {
    void reader?.cancel().catch(() => undefined)
  }
}

interface Progress {
  /** Aborted when the video is too slow or takes too long, and when `stop` is. */
  readonly signal: AbortSignal
  count(bytes: number): void
  end(): void
}

function watchProgress({ slowMs, totalMs }: Pick<VideoTimeLimits, 'slowMs' | 'totalMs'>, stop: AbortSignal): Progress {
  const late = new AbortController()
  let bytes = 0
  const slow = setInterval(() => {
    if (bytes < MIN_BYTES) late.abort(new VideoError('The video arrived too slowly.', false))
    bytes = 0
  }, slowMs)
  const total = setTimeout(() => late.abort(new VideoError('The video took too long.', false)), totalMs)
  return {
    signal: AbortSignal.any([stop, late.signal]),
    count(length) {
      bytes += length
    },
    end() {
      clearInterval(slow)
      clearTimeout(total)
      late.abort()
    },
  }
}

function explain(error: unknown): unknown {
  if (error instanceof VideoError) return error
  if (error instanceof TargetRefused) return new VideoError(error.message, true)
  return new VideoError('The host of the video could not be reached.', false)
}
