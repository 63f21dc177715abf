import type { Attribute } from '../../../api/data-model/attributes'
import type { Entity } from '../../../api/records/entities'
import type { Nouns } from '../table/nouns'
import type { BoardQuery } from './board-query'

/** What a screen gives to its board. */
export interface BoardProps {
  query: BoardQuery
  attributes: readonly Attribute[]
  /** The attributes on cards. */
  shown: readonly Attribute[]
  nouns: Nouns
  /** The page of a card. */
  hrefOf: (entity: Entity) => string
  /** Whether the member may not change the entities. */
  isReadOnly: boolean
  /** The entity that was created last while the board is shown. */
  added: Entity | undefined
  /** Creates an entity in a column: with these values. */
  oncreate: (values: Readonly<Record<string, readonly unknown[]>>) => unknown
}
