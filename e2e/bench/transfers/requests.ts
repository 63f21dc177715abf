/** The requests of uploads and downloads. */

import { randomFillSync } from 'node:crypto'
import { renderRequest } from '../measure/http-client'
import type { Side } from '../measure/measure'

/** Returns the pieces of the next request. */
export type NextRequest = () => readonly Uint8Array[]

/** Both sides receive the same bytes, except for the beginning of each file. */
const CONTENT = randomFillSync(Buffer.alloc(50_000_000))
export const LARGEST_FILE_BYTES = CONTENT.length

const BOUNDARY = 'relata-bench-b7c1f0'
const END = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)

/** Each upload begins with other bytes, because the service stores equal files once. */
export function uploadsTo({ key }: Side, recordId: string, size: number): NextRequest {
  const texts = Object.entries({ object: 'people', record_id: recordId })
    .map(([name, text]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`)
    .join('')
  const fileHead =
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.bin"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n'
  return () => {
    const beginning = texts + fileHead + crypto.randomUUID()
    const content = CONTENT.subarray(0, size - crypto.randomUUID().length)
    const head =
      `POST /v2/files/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n` +
      `Content-Length: ${beginning.length + content.length + END.length}\r\n\r\n`
    return [Buffer.from(head + beginning), content, END]
  }
}

/** Uploads a file first. Its signed URL is valid for five minutes. */
export async function downloadsFrom(side: Side, recordId: string, size: number): Promise<NextRequest> {
  const url = await signDownload(side, await uploadOnce(side, recordId, size))
  const request = renderRequest({ method: 'GET', path: url.pathname + url.search }, side.key)
  return () => [request]
}

async function uploadOnce({ name, port, key }: Side, recordId: string, size: number): Promise<string> {
  const form = new FormData()
  form.set('object', 'people')
  form.set('record_id', recordId)
  form.set('file', new File([CONTENT.subarray(0, size)], 'bench.bin'))
  const headers = { Authorization: `Bearer ${key}` }
  const response = await fetch(`http://127.0.0.1:${port}/v2/files/upload`, { method: 'POST', headers, body: form })
  if (response.status !== 201) throw new Error(`The ${name} answers an upload with ${response.status}.`)
  const answer = (await response.json()) as { data: { id: { file_id: string } } } // an answer with status 201 has it
  return answer.data.id.file_id
}

async function signDownload({ name, port, key }: Side, fileId: string): Promise<URL> {
  const origin = `http://127.0.0.1:${port}`
  const init = { headers: { Authorization: `Bearer ${key}` }, redirect: 'manual' } as const
  const { status, headers } = await fetch(`${origin}/v2/files/${fileId}/download`, init)
  const location = headers.get('location')
  if (status !== 302 || location === null) throw new Error(`The ${name} answers a download with ${status}.`)
  return new URL(location, origin)
}
