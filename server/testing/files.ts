/** Uploads files as clients do. */

import type { Answer, Client, RequestOptions } from './client'
import type { TestService } from './service'

export interface Parts {
  readonly content?: string | Uint8Array
  readonly name?: string
  /** The type of the part; none by default. */
  readonly type?: string
  readonly texts?: Readonly<Record<string, string>>
  /** Whether the file comes before the texts. */
  readonly isFileFirst?: boolean
}

/** The body of an upload, with its content type. */
export async function uploadBody({ content = 'x', name = 'x.txt', type = '', texts = {}, isFileFirst }: Parts) {
  const form = new FormData()
  const file = new File([typeof content === 'string' ? content : new Uint8Array(content)], name, { type })
  if (isFileFirst === true) form.set('file', file)
  for (const [key, value] of Object.entries(texts)) form.set(key, value)
  if (isFileFirst !== true) form.set('file', file)
  const response = new Response(form)
  const headers = new Headers(response.headers)
  return { bytes: await response.bytes(), type: headers.get('content-type') ?? '' }
}

export interface FileClient {
  upload(record: string, parts?: Parts, options?: RequestOptions): Promise<Answer>
  /** The id of an uploaded file. */
  file(record: string, parts?: Parts): Promise<string>
  folder(record: string, name?: string, parent?: string): Promise<string>
  create(input: object): Promise<Answer>
  /** The names of the files of a record. */
  names(record: string, query?: string): Promise<string[]>
  /** The path of the signed URL of a file. */
  url(id: string): Promise<string>
}

export function fileClient({ request }: Pick<TestService, 'request'>, object = 'people'): FileClient {
  const upload = (record: string, parts: Parts = {}, options: RequestOptions = {}) =>
    sendUpload(request, { ...parts, texts: { object, record_id: record, ...parts.texts } }, options)
  const create = (input: object) => request('POST', '/v2/files', input)
  return {
    upload,
    create,
    async file(record, parts) {
      const { status, body } = await upload(record, parts)
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.data.id.file_id
    },
    async folder(record, name = 'Folder', parent) {
      const input = { object, record_id: record, file_type: 'folder', name, parent_folder_id: parent }
      return (await create(input)).body.data.id.file_id
    },
    async names(record, query = '') {
      const { body } = await request('GET', `/v2/files?object=${object}&record_id=${record}${query}`)
      return body.data.map(
        ({ name, external_provider_file_id }: Record<string, string>) => name ?? external_provider_file_id,
      )
    },
    async url(id) {
      const { headers } = await request('GET', `/v2/files/${id}/download`)
      return new URL(headers.get('location') ?? '').pathname
    },
  }
}

export async function sendUpload(request: Client, parts: Parts, options: RequestOptions = {}): Promise<Answer> {
  const { bytes, type } = await uploadBody(parts)
  return request('POST', '/v2/files/upload', bytes, {
    ...options,
    headers: { 'Content-Type': type, ...options.headers },
  })
}
