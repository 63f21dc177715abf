/**
 * Checks the signature of a request to S3 by the algorithm that AWS publishes: Signature Version 4 in the `Authorization`
 * header. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */

import { createHmac } from 'node:crypto'
import { sha256 } from '#base/text/sha256'

export interface SignedRequest {
  readonly method: string
  /** As it was sent. */
  readonly url: string
  readonly headers: Headers
  readonly body: Uint8Array
}

export interface AccessKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
/** S3 refuses older requests, and those of the future. */
const MAX_AGE_MS = 15 * 60_000

/** Returns why S3 would refuse the request; undefined for a valid signature. */
export function signatureProblem(request: SignedRequest, key: AccessKey, now = Date.now()): string | undefined {
  const { headers, body } = request
  const parts = AUTHORIZATION.exec((headers.get('authorization') ?? '').slice(0, 2_000))
  const [, accessKeyId = '', date = '', region = '', signedHeaders = '', signature] = parts ?? []
  if (parts === null) return 'The request has no signature.'
  if (accessKeyId !== key.accessKeyId) return 'The access key does not exist.'
  const time = headers.get('x-amz-date') ?? ''
  if (!time.startsWith(date) || Math.abs(instantOf(time) - now) > MAX_AGE_MS) return 'The time is wrong.'
  const digest = headers.get('x-amz-content-sha256') ?? ''
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== sha256(body)) return 'The body has another digest.'
  const names = signedHeaders.split(';')
  if (!names.includes('host') || [...headers.keys()].some((name) => name.startsWith('x-amz-') && !names.includes(name)))
    return 'A header that must be signed is not.'
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonicalRequest(request, names, digest))].join('\n')
  const signingKey = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`)
  return hmac(signingKey, text).toString('hex') === signature ? undefined : 'The signature does not match.'
}

function canonicalRequest({ method, url, headers }: SignedRequest, names: readonly string[], digest: string): string {
  const { pathname, searchParams } = new URL(url)
  const query = [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')
  const lines = names.map((name) => `${name}:${(headers.get(name) ?? '').trim().replace(/ +/g, ' ')}`)
  return [method, pathname, query, ...lines, '', names.join(';'), digest].join('\n')
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** `20261122T101500Z` in milliseconds since 1970. */
const instantOf = (time: string): number =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
