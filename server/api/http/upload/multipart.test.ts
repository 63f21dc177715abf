/** Parts are the same however their body is divided into chunks. */

import { expect, test } from 'bun:test'
import { readMultipart } from './multipart'

const BOUNDARY = 'boundary'
/** The contents have beginnings of the delimiter. */
const CONTENTS = ['', 'text', '\r\n--boundarx\r\n--bound', '\r\r\n-\r', `${'x'.repeat(100)}\r\n`]

const head = (index: number) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${index}"\r\n\r\n`
const BODY = `${CONTENTS.map((content, index) => `${head(index)}${content}\r\n`).join('')}--${BOUNDARY}--\r\n`

async function* chunksOf(size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(BODY)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('readParts returns the same parts for chunks of every size', async () => {
  for (let size = 1; size <= BODY.length; size++) {
    const contents: string[] = []
    for await (const { content } of readMultipart(chunksOf(size), BOUNDARY))
      contents.push(Buffer.concat(await Array.fromAsync(content)).toString())
    expect([size, contents]).toEqual([size, CONTENTS])
  }
})
