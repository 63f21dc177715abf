/** Writes the cells of a table, one or many at a time, and undoes and redoes the last steps. */

import type { Attribute, EntityTypePath } from '../../../../api/data-model/attributes'
import { type Entity, readEntities } from '../../../../api/records/entities'
import { toasts } from '../../../../state/toasts.svelte'
import type { ValueWrites } from '../../../../state/value-writes'
import { inputOfValues } from '../../../../values/registry'
import { type CellInput, cellName, type CellProblem, problemsText } from './cell'
import { type CellChange, EditHistory } from './edit-history'
import { sendCells, type SentCells } from './send-cells'

const DONE = { undo: 'undone', redo: 'redone' } as const

export class CellEdits {
  /** The attribute that names a row in messages. */
  label: Attribute | undefined
  readonly #entityType: EntityTypePath
  readonly #writes: ValueWrites
  readonly #history = new EditHistory()

  constructor(entityType: EntityTypePath, writes: ValueWrites) {
    this.#entityType = entityType
    this.#writes = writes
  }

  /** Adds an edit of one cell, which another writer saved, as a step. */
  add({ entity, attribute }: Pick<CellInput, 'entity' | 'attribute'>, saved: Entity): void {
    this.#history.add([changeOf(attribute, entity, saved)])
  }

  /** Writes cells as one step. `problems` are those that were found before. */
  async write(cells: readonly CellInput[], problems: readonly CellProblem[] = []): Promise<void> {
    try {
      const sent = await this.#send(cells.filter(isChanged))
      this.#history.add(changesOf(sent))
      const all = [...problems, ...sent.problems]
      if (all.length > 0) toasts.fail(problemsText(all, this.label))
    } catch (error) {
      toasts.fail(error)
    }
  }

  async undo(): Promise<void> {
    const step = this.#history.takeDone()
    if (!step) return toasts.show('Nothing to undo')
    const reverted = await this.#revert(step, 'undo')
    if (reverted.length > 0) this.#history.addUndone(reverted)
  }

  async redo(): Promise<void> {
    const step = this.#history.takeUndone()
    if (!step) return toasts.show('Nothing to redo')
    const reverted = await this.#revert(step, 'redo')
    if (reverted.length > 0) this.#history.addRedone(reverted)
  }

  /** Restores the values before a step, except those that another write changed since. Returns the step that reverts this one. */
  async #revert(step: readonly CellChange[], direction: 'undo' | 'redo'): Promise<readonly CellChange[]> {
    try {
      const { cells, overtaken } = await this.#readCells(step)
      const sent = await this.#send(cells)
      if (overtaken.length > 0) toasts.fail(this.#overtakenText(overtaken, direction))
      else if (sent.problems.length > 0) toasts.fail(problemsText(sent.problems, this.label))
      else toasts.show(direction === 'undo' ? 'Undone' : 'Redone')
      return changesOf(sent)
    } catch (error) {
      toasts.fail(error)
      return []
    }
  }

  /** The cells that a step left as they are now, and the changes that a newer one overtook. */
  async #readCells(step: readonly CellChange[]): Promise<{ cells: CellInput[]; overtaken: CellChange[] }> {
    const ids = [...new Set(step.map(({ entity }) => entity.id))]
    await this.#writes.settled(ids)
    const entities = await readEntities(this.#entityType, ids)
    const now = new Map(entities.map((entity) => [entity.id, entity]))
    const cells: CellInput[] = []
    const overtaken: CellChange[] = []
    for (const change of step) {
      const entity = now.get(change.entity.id)
      if (entity && isSame(inputIn(entity, change.attribute), change.after))
        cells.push({ entity, attribute: change.attribute, input: change.before })
      else overtaken.push(change)
    }
    return { cells, overtaken }
  }

  async #send(cells: readonly CellInput[]): Promise<SentCells> {
    if (cells.length === 0) return { saved: [], written: [], problems: [] }
    const entities = [...new Map(cells.map(({ entity }) => [entity.id, entity])).values()]
    let sent: SentCells | undefined
    await this.#writes.writeTogether(entities, async () => {
      sent = await sendCells(this.#entityType, cells)
      return sent.saved
    })
    return sent ?? { saved: [], written: [], problems: [] }
  }

  #overtakenText(overtaken: readonly CellChange[], direction: 'undo' | 'redo'): string {
    const [first] = overtaken
    const done = DONE[direction]
    if (overtaken.length > 1 || !first)
      return `${overtaken.length} values were changed since then, so they weren’t ${done}.`
    return `${cellName(first, this.label)} was changed since then, so it wasn’t ${done}.`
  }
}

const inputIn = (entity: Entity, attribute: Attribute): readonly unknown[] =>
  inputOfValues(attribute, entity.values[attribute.api_slug] ?? [])

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const isChanged = ({ entity, attribute, input }: CellInput): boolean => !isSame(inputIn(entity, attribute), input)

const changeOf = (attribute: Attribute, before: Entity, after: Entity): CellChange => ({
  entity: after,
  attribute,
  before: inputIn(before, attribute),
  after: inputIn(after, attribute),
})

function changesOf({ written, saved }: SentCells): CellChange[] {
  const after = new Map(saved.map((entity) => [entity.id, entity]))
  return written.map(({ entity, attribute }) => changeOf(attribute, entity, after.get(entity.id) ?? entity))
}
