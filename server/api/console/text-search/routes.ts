/**
 * Finds notes, tasks, files and comments by the beginnings of their words, for the palette of the console. Of each kind, the newest
 * are searched, so that a search needs no index. See docs/reference/search.md (Texts of notes and others); docs/decisions/search.md.
 */

import { Elysia } from 'elysia'
import { type RawBuilder, sql } from 'kysely'
import { renderArray, runOnLookupPool, type Sql } from '#db/connect'
import type { AppContext } from '#context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { inboxKeyOf } from '#crm/inbox/notify'
import type { InboxKey } from '#crm/inbox/store'
import { anyOf, controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { wordsOf } from '#engine/search/words'
import { TextSearchAnswer, TextSearchQuery } from './schemas'

export const textSearchRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-text-search' }).get(
    ...guard.member(
      '/console/api/workspaces/:workspace_id/text-search',
      { response: TextSearchAnswer, query: TextSearchQuery },
      async ({ member, query }) => ({ data: await searchTexts(appContext, member, query.query) }),
    ),
  )

type Found = TextSearchAnswer['data']

/** How many of the newest of each kind are searched. Ids begin with the time. */
const SEARCHED = 2000
/** How many characters of each text are searched. */
const SEARCHED_CHARACTERS = 2000
const SHOWN = 5
const SHOWN_CHARACTERS = 200

async function searchTexts(appContext: AppContext, member: ConsoleMember, query: string): Promise<Found> {
  const words = wordsOf(query)
  const model = await getMemberModel(appContext, member)
  const viewer = model.membersById.get(member.memberId)
  if (words.length === 0 || viewer === undefined) return { notes: [], tasks: [], files: [], comments: [] }
  const search = { words, key: inboxKeyOf(model, viewer) }
  return runOnLookupPool(appContext.db, async (on) => ({
    notes: await findNotes(on, search),
    tasks: await findTasks(on, search),
    files: await findFiles(on, search),
    comments: await findComments(on, search),
  }))
}

interface TextSearch {
  /** Without the characters that a pattern gives a meaning. */
  readonly words: readonly string[]
  /** What the member may see. */
  readonly key: InboxKey
}

/** Whether a text has all words. A text of ASCII that has one of them nowhere is not split into words, which takes longer. */
function matches(text: RawBuilder<string>, { words }: TextSearch): RawBuilder<boolean> {
  const searched = sql<string>`left(${text}, ${SEARCHED_CHARACTERS})`
  const anywhere = renderArray(words.map((word) => `%${word}%`))
  const atBeginnings = renderArray(words.map((word) => `% ${word}%`))
  return sql<boolean>`case
    when octet_length(${searched}) = length(${searched}) and not replace(lower(${searched}), '''', '') like all(${anywhere}::text[]) then false
    else ' ' || relata.search_words(${searched}) like all(${atBeginnings}::text[]) end`
}

const shown = (text: RawBuilder<string>): RawBuilder<string> => sql<string>`left(${text}, ${SHOWN_CHARACTERS})`

const TITLE = sql<string>`newest.title`
const CONTENT = sql<string>`newest.content`
const NAME = sql<string>`newest.name`

/** Not of hidden objects, like the files and comments below. */
const findNotes = (on: Sql, search: TextSearch): Promise<Found['notes']> =>
  controlQueriesIn(on)
    .with('newest', (control) =>
      control
        .selectFrom('relata.notes')
        .select(['id', 'title', 'parent_object_id', 'parent_record_id'])
        .where('workspace_id', '=', search.key.workspaceId)
        .where(({ eb, not }) => not(eb('parent_object_id', '=', anyOf(search.key.hiddenObjects))))
        .orderBy('id', 'desc')
        .limit(SEARCHED),
    )
    .selectFrom('newest')
    .select([
      'id as note_id',
      'parent_object_id as object_id',
      'parent_record_id as record_id',
      shown(TITLE).as('title'),
    ])
    .where(matches(TITLE, search))
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute()

/** Every member sees all tasks. */
const findTasks = (on: Sql, search: TextSearch): Promise<Found['tasks']> =>
  controlQueriesIn(on)
    .with('newest', (control) =>
      control
        .selectFrom('relata.tasks')
        .select(['id', 'content', 'is_completed'])
        .where('workspace_id', '=', search.key.workspaceId)
        .orderBy('id', 'desc')
        .limit(SEARCHED),
    )
    .selectFrom('newest')
    .select(['id as task_id', 'is_completed', shown(CONTENT).as('excerpt')])
    .where(matches(CONTENT, search))
    .orderBy('is_completed')
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute()

const findFiles = (on: Sql, search: TextSearch): Promise<Found['files']> =>
  controlQueriesIn(on)
    .with('newest', (control) =>
      control
        .selectFrom('relata.files')
        .select(['id', 'name', 'object_id', 'record_id'])
        .where('workspace_id', '=', search.key.workspaceId)
        .where(({ eb, not }) => not(eb('object_id', '=', anyOf(search.key.hiddenObjects))))
        .where('name', 'is not', null)
        .where('note_id', 'is', null)
        .orderBy('id', 'desc')
        .limit(SEARCHED),
    )
    .selectFrom('newest')
    .select(['id as file_id', 'object_id', 'record_id', shown(NAME).as('name')])
    .where(matches(NAME, search))
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute()

/** Comments on entries need access to the list. Mentions are no words of a comment. */
const findComments = (on: Sql, search: TextSearch): Promise<Found['comments']> =>
  controlQueriesIn(on)
    .with('newest', (control) =>
      control
        .selectFrom('relata.comments as c')
        .innerJoin('relata.threads as t', (join) =>
          join.onRef('t.workspace_id', '=', 'c.workspace_id').onRef('t.id', '=', 'c.thread_id'),
        )
        .select(['c.id', 't.object_id', 't.record_id', 't.list_id', 't.entry_id'])
        .select(
          sql<string>`(select coalesce(string_agg(part #>> '{}', '…'), '') from jsonb_array_elements(c.content) part
            where jsonb_typeof(part) = 'string')`.as('content'),
        )
        .where('c.workspace_id', '=', search.key.workspaceId)
        .where(({ eb, not }) => not(eb('t.object_id', '=', anyOf(search.key.hiddenObjects))))
        .where(({ eb, or }) => or([eb('t.list_id', 'is', null), eb('t.list_id', '=', anyOf(search.key.visibleLists))]))
        .orderBy('c.id', 'desc')
        .limit(SEARCHED),
    )
    .selectFrom('newest')
    .select(['id as comment_id', 'object_id', 'record_id', 'list_id', 'entry_id', shown(CONTENT).as('excerpt')])
    .where(matches(CONTENT, search))
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute()
