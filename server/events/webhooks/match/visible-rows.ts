/** The rule of `events/visibility.ts` as a condition on rows with an event's type, the list that it names, and its text. */

import type { Sql } from '#db/connect'
import type { VisibleEvents } from '#events/feed/visibility'

/** The rows that at least one of these viewers may see. */
export const visibleToAny = (sql: Sql, visible: readonly VisibleEvents[]) =>
  visible.reduce((condition, each) => sql`${condition} or ${visibleTo(sql, each)}`, sql`false`)

export const visibleTo = (sql: Sql, { types, listTypes, lists, seesDeletedLists, hiddenNames }: VisibleEvents) => sql`(
  not (body like any(${hiddenNames.map(patternOf)}::text[])) and case when list_id is null then event_type = any(${[...types]}::text[])
  else event_type = any(${[...listTypes]}::text[])
    and (${seesDeletedLists} or event_type = 'list.deleted' or list_id = any(${[...lists]}::text[])) end)`

const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
