/**
 * The floor of transfers: a bare server that streams the body of an upload to a file, and sends the file unchanged.
 * Like the service, it makes each file durable before it answers. It parses no form, computes no digest and has no database.
 * `transfers/floor.ts <folder> <port>`
 */

import { open } from 'node:fs/promises'
import { join } from 'node:path'

const [folder = '', port] = process.argv.slice(2)

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  routes: {
    '/v2/files/upload': {
      POST: async ({ body }) => {
        const file_id = crypto.randomUUID()
        if (body !== null) await save(body, join(folder, file_id))
        return Response.json({ data: { id: { file_id } } }, { status: 201 })
      },
    },
    '/v2/files/:id/download': ({ params }) =>
      new Response(null, { status: 302, headers: { Location: `/content/${params.id}` } }),
    '/content/:id': ({ params }) => new Response(Bun.file(join(folder, params.id))),
  },
})
console.log(`The floor listens on ${port}.`)

async function save(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, 'wx')
  try {
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
    }
    await file.sync()
  } finally {
    await file.close()
  }
}
