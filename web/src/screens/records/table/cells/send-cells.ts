/** Sends cells in batches. A refused cell does not keep the other cells of its row from being written. */

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import type { Entity } from '../../../../api/records/entities'
import { type EntityUpdate, updateEntities } from '../../../../api/records/update-many'
import { refusalOf } from '../../../../values/refusals'
import type { CellInput, CellProblem } from './cell'

export interface SentCells {
  /** The written entities, in the state of the service. */
  readonly saved: readonly Entity[]
  readonly written: readonly CellInput[]
  readonly problems: readonly CellProblem[]
}

/** Sends the cells of each row together, and those of a refused row one by one. */
export async function sendCells(entityType: EntityTypePath, cells: readonly CellInput[]): Promise<SentCells> {
  const rows = [...Map.groupBy(cells, ({ entity }) => entity.id).values()]
  const first = await send(entityType, rows)
  const [several, single] = [first.refused.filter(isSeveral), first.refused.filter((one) => !isSeveral(one))]
  const second = await send(
    entityType,
    several.flatMap(({ cells }) => cells.map((cell) => [cell])),
  )
  const refused = [...single, ...second.refused]
  return {
    saved: [...first.saved, ...second.saved],
    written: [...first.written, ...second.written],
    problems: refused.flatMap(({ cells, error }) =>
      cells.map(({ entity, attribute }) => ({ entity, attribute, problem: refusalOf(error, attribute, entityType) })),
    ),
  }
}

interface Refused {
  readonly cells: readonly CellInput[]
  readonly error: unknown
}

const isSeveral = ({ cells }: Refused): boolean => cells.length > 1

/** Each group of cells is one update. */
async function send(entityType: EntityTypePath, groups: readonly (readonly CellInput[])[]) {
  const saved: Entity[] = []
  const written: CellInput[] = []
  const refused: Refused[] = []
  const results = groups.length === 0 ? [] : await updateEntities(entityType, groups.flatMap(toUpdate))
  for (const [index, cells] of groups.entries()) {
    const result = results[index]
    if (result && 'entity' in result) {
      saved.push(result.entity)
      written.push(...cells)
    } else refused.push({ cells, error: result?.error })
  }
  return { saved, written, refused }
}

function toUpdate(cells: readonly CellInput[]): EntityUpdate[] {
  const [first] = cells
  if (first === undefined) return []
  const values = Object.fromEntries(cells.map(({ attribute, input }) => [attribute.api_slug, input]))
  return [{ id: first.entity.id, values }]
}
