/**
 * Starts a server with the API of S3 and one bucket, whose objects are in a temporary folder: a proxy that checks the signature
 * of each request, before an emulator that does not check all of them.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import type { S3Settings } from '#crm/blobs/s3-storage'
import { signatureProblem } from './signature-v4'

export interface S3Server {
  readonly settings: S3Settings & { readonly endpoint: string }
  /** The requests that were refused, with the reasons. */
  readonly refused: readonly string[]
  /**
   * Makes the server hold the next request with this method, before or after the emulator has answered it. Resolves when
   * the request is held. It is never answered.
   */
  hold(method: string, when: 'before' | 'after'): Promise<void>
  close(): Promise<void>
}

interface Hold {
  readonly method: string
  readonly when: 'before' | 'after'
  readonly onHeld: () => void
}

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'relata-s3-'))
  const bucket = 'files'
  const emulator = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
    // It computes the signature of a list without the slash after the bucket, which Bun sends and signs.
    allowMismatchedSignatures: true,
  })
  const { port } = await emulator.run()
  const key = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const refused: string[] = []
  const holds = new Set<Hold>()

  async function holdIfAsked(method: string, when: Hold['when']): Promise<void> {
    const hold = [...holds].find((each) => each.method === method && each.when === when)
    if (hold === undefined) return
    holds.delete(hold)
    hold.onHeld()
    await new Promise(() => {})
  }

  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { method, url, headers } = request
      const body = await request.bytes()
      const problem = signatureProblem({ method, url, headers, body }, key)
      if (problem !== undefined) {
        refused.push(`${method} ${problem}`)
        return new Response(errorBody(problem), { status: 403, headers: { 'Content-Type': 'application/xml' } })
      }
      await holdIfAsked(method, 'before')
      const target = new URL(url)
      target.port = String(port)
      const answer = await fetch(target, { method, headers, body: body.length === 0 ? null : body, decompress: false })
      await holdIfAsked(method, 'after')
      return answer
    },
  })
  return {
    settings: { bucket, endpoint: `http://127.0.0.1:${proxy.port}`, region: undefined, ...key },
    refused,
    hold: (method, when) => new Promise((onHeld) => void holds.add({ method, when, onHeld })),
    async close() {
      await proxy.stop(true)
      await emulator.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const errorBody = (message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>SignatureDoesNotMatch</Code><Message>${message}</Message></Error>`
