/** Creates and reads comments, for tests. */

import { beforeAll } from 'bun:test'
import { createMember, type NewMember } from '#access/members/members'
import type { Answer, RequestOptions } from './client'
import { listClient } from './lists'
import type { TestService } from './service'

export interface CommentOf {
  readonly thread_id?: string
  readonly record?: { readonly object: string; readonly record_id: string }
  readonly entry?: { readonly list: string; readonly entry_id: string }
}

export const onRecord = (record_id: string, object = 'people'): CommentOf => ({ record: { object, record_id } })
export const onEntry = (list: string, entry_id: string): CommentOf => ({ entry: { list, entry_id } })

export type CommentClient = ReturnType<typeof commentClient>

/** The author is the first member of the service, unless the test names another. */
export function commentClient(service: Pick<TestService, 'request' | 'member'>) {
  const { request } = service
  const create = (of: CommentOf, members: object = {}, options?: RequestOptions): Promise<Answer> =>
    request('POST', '/v2/comments', { data: { ...input(service.member.id), ...of, ...members } }, options)
  return {
    create,
    /** Creates a comment and returns it. */
    async comment(of: CommentOf, members: object = {}) {
      const { status, body } = await create(of, members)
      if (status !== 200) throw new Error(`POST /v2/comments answered ${status}: ${body.message}`)
      return body.data
    },
    get: (id: string, options?: RequestOptions) => request('GET', `/v2/comments/${id}`, undefined, options),
    thread: (id: string, options?: RequestOptions) => request('GET', `/v2/threads/${id}`, undefined, options),
    threads: (query: string, options?: RequestOptions) => request('GET', `/v2/threads?${query}`, undefined, options),
    remove: (id: string, options?: RequestOptions) => request('DELETE', `/v2/comments/${id}`, undefined, options),
    resolve: (id: string, is_resolved: boolean, options?: RequestOptions) =>
      request('PATCH', `/v2/comments/${id}`, { data: { is_resolved } }, options),
    edit: (id: string, content: string, options?: RequestOptions) =>
      request('PATCH', `/v2/comments/${id}`, { data: { content } }, options),
  }
}

interface CommentSubjects {
  readonly record: string
  readonly list: string
  /** Of the record, in the list. */
  readonly entry: string
}

/** Creates what tests comment on, before the tests. Hooks and tests may use the members of the result. */
export function useCommentSubjects(service: Pick<TestService, 'request'>): CommentSubjects {
  const subjects = {} as CommentSubjects // has its members when the hook below has ended
  beforeAll(async () => {
    const lists = listClient(service)
    const [record, list] = [await lists.record(), await lists.list()]
    Object.assign(subjects, { record, list, entry: await lists.entry(list, record) })
  })
  return subjects
}

/** The body of a comment without its subject. */
export const input = (authorId: string) => ({
  format: 'plaintext',
  content: 'A comment',
  author: { type: 'workspace-member', id: authorId },
})

/** A member of the service's workspace, who cannot sign in. Returns the id. */
export async function memberNamed(
  { db, appContext, workspaceId }: TestService,
  email_address: string,
  access_level: NewMember['access_level'] = 'member',
): Promise<string> {
  const member = { first_name: 'A', last_name: 'Member', email_address, account_id: null, access_level }
  const { id } = await createMember(db, workspaceId, member, appContext.now())
  await appContext.models.reload(workspaceId)
  return id
}
