/** The statement that inserts a comment with its thread, notifications and change event. Decision 0086. */

import type { CommentRow, ThreadRow } from '#crm/comments/store'
import type { RequestContext } from '#context'
import { eventOriginOf } from '#engine/outbox/outbox'
import { type NewNotification, notificationSteps, notificationTexts } from '#crm/inbox/notify'
import {
  compileStatement,
  type ParameterTexts,
  type Placeholder,
  type Statement,
  typedParam,
} from '#engine/storage/statement'
import { outboxStep, outboxTexts } from '#engine/storage/statements/outbox-step'
import { commentEvent } from './events'

export interface NewComment {
  readonly thread: ThreadRow
  readonly isNewThread: boolean
  readonly comment: CommentRow
  readonly notifications: readonly NewNotification[]
}

type Step = (param: Placeholder) => string

const insertThread: Step = (param) => `thread as (
  insert into relata.threads (workspace_id, id, object_id, record_id, list_id, entry_id, created_at)
  values (${typedParam(param, 'workspace', 'uuid')}, ${typedParam(param, 'thread', 'uuid')}, ${typedParam(param, 'object', 'uuid')},
    ${typedParam(param, 'record', 'uuid')}, ${typedParam(param, 'list', 'uuid')}, ${typedParam(param, 'entry', 'uuid')},
    ${typedParam(param, 'created_at', 'timestamptz')}))`

/** A comment may have an earlier time than its thread. The thread then gets the time of that comment, which becomes its head. */
const lowerThreadCreation: Step = (param) => `thread as (
  update relata.threads set created_at = ${typedParam(param, 'created_at', 'timestamptz')}
  where workspace_id = ${typedParam(param, 'workspace', 'uuid')} and id = ${typedParam(param, 'thread', 'uuid')}
    and created_at > ${typedParam(param, 'created_at', 'timestamptz')})`

/** The row repeats the record and the list of the thread, for the activity of the record. */
const insertComment: Step = (param) => `comment as (
  insert into relata.comments (workspace_id, id, thread_id, record_id, list_id, author_id, content, created_at)
  values (${typedParam(param, 'workspace', 'uuid')}, ${typedParam(param, 'id', 'uuid')}, ${typedParam(param, 'thread', 'uuid')},
    ${typedParam(param, 'record', 'uuid')}, ${typedParam(param, 'list', 'uuid')}, ${typedParam(param, 'author', 'uuid')},
    ${typedParam(param, 'content', 'jsonb')}, ${typedParam(param, 'created_at', 'timestamptz')}) returning id)`

const statementWith = (writeThread: Step, notify: (param: Placeholder) => string[]): Statement =>
  compileStatement((param) => {
    const steps = [writeThread(param), insertComment(param), ...notify(param), outboxStep(param, 'comment')]
    return `with ${steps.join(', ')} select 1`
  })

/** Without and with notifications. */
const FIRST_COMMENT = [statementWith(insertThread, () => []), statementWith(insertThread, notificationSteps)] as const
const REPLY = [
  statementWith(lowerThreadCreation, () => []),
  statementWith(lowerThreadCreation, notificationSteps),
] as const

/** The author of the comment causes its notifications; the actor of the context causes its event. */
export function insertNewComment(
  context: RequestContext,
  { thread, isNewThread, comment, notifications }: NewComment,
): { readonly statement: Statement; readonly texts: ParameterTexts } {
  const { model } = context
  const notifier = model.membersById.get(comment.author_id)?.actor ?? context.actor
  const events = [commentEvent('created', thread, comment.id)]
  return {
    statement: (isNewThread ? FIRST_COMMENT : REPLY)[notifications.length > 0 ? 1 : 0],
    texts: {
      workspace: model.workspace.id,
      thread: thread.id,
      object: thread.object_id,
      record: thread.record_id,
      list: thread.list_id,
      entry: thread.entry_id,
      id: comment.id,
      author: comment.author_id,
      content: JSON.stringify(comment.content),
      created_at: comment.created_at,
      ...notificationTexts({ actor: notifier, at: context.now() }, notifications),
      ...outboxTexts({ origin: eventOriginOf(context), events }),
    },
  }
}
