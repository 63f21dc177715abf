/** The rule of `events/visibility.ts` as a condition on rows that keep the type of an event and the list it names. */

import type { Sql } from '../../../db/connect'
import type { VisibleEvents } from '../../events/visibility'

/** What one of these viewers may see; nothing where there is none. */
export const visibleToOne = (sql: Sql, visible: readonly VisibleEvents[]) =>
  visible.reduce((condition, each) => sql`${condition} or ${visibleTo(sql, each)}`, sql`false`)

export const visibleTo = (sql: Sql, { types, listTypes, lists, seesGone }: VisibleEvents) => sql`(
  case when list_id is null then event_type = any(${[...types]}::text[])
  else event_type = any(${[...listTypes]}::text[])
    and (${seesGone} or event_type = 'list.deleted' or list_id = any(${[...lists]}::text[])) end)`
