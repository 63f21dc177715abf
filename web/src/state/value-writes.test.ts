/** Values that are shown while writes and reads of the same entity overlap. */

import { describe, expect, test } from 'bun:test'
import type { Attribute } from '../api/data-model/attributes'
import type { Entity, Value } from '../api/records/entities'
import { ValueConflict, type ValueChange } from '../api/records/write-values'
import { ValueWrites } from './value-writes'

const valuesOf = (step: string): Value[] => [{ value: step }] as unknown as Value[] // the writes read no other members
const entryIn = (step: string): Entity => ({ id: 'entry', values: { step: valuesOf(step) } }) as unknown as Entity // likewise
const attribute = { api_slug: 'step' } as Attribute // likewise

const stepOf = ({ values }: Entity): unknown => values.step?.[0]?.value

/** Writes whose requests the test answers, in the order in which they are sent. */
function start() {
  const shown: unknown[] = []
  const entities: Entity[] = []
  const changes: ValueChange[] = []
  const answers: { resolve: (entity: Entity) => void; reject: (error: Error) => void }[] = []
  const writes = new ValueWrites(
    { kind: 'lists', slug: 'list' },
    (entity) => {
      shown.push(stepOf(entity))
      entities.push(entity)
    },
    (_type, _id, change) => {
      changes.push(change)
      return new Promise((resolve, reject) => answers.push({ resolve, reject }))
    },
  )
  const write = (step: string, from: Entity) =>
    writes.write({ entity: from, attribute, input: [step], optimistic: valuesOf(step) })
  const sent = async (nth: number) => {
    while (answers[nth] === undefined) await Promise.resolve()
    return answers[nth]
  }
  return { writes, write, shown, entities, sent, changes }
}

/** A read of the entry that the test finishes. */
function readFrom(writes: ValueWrites) {
  const begun = Promise.withResolvers<void>()
  const found = Promise.withResolvers<readonly Entity[]>()
  const reading = writes.read(['entry'], () => {
    begun.resolve()
    return found.promise
  })
  return { reading, begun: begun.promise, finish: found.resolve }
}

describe('two writes of the same value', () => {
  test('the answer to the first one does not replace the value of the second one', async () => {
    const { write, shown, sent } = start()
    const first = write('Second', entryIn('First'))
    const second = write('Third', entryIn('Second'))
    ;(await sent(0)).resolve(entryIn('Second'))
    await first
    expect(shown).toEqual(['Second', 'Third'])
    ;(await sent(1)).resolve(entryIn('Third'))
    expect(await second).toBeUndefined()
    expect(shown).toEqual(['Second', 'Third', 'Third'])
  })

  test('a refusal of the last one shows what the service confirmed last', async () => {
    const { write, shown, sent } = start()
    const first = write('Second', entryIn('First'))
    const second = write('Third', entryIn('Second'))
    ;(await sent(0)).resolve(entryIn('Second'))
    await first
    ;(await sent(1)).reject(new Error('refused'))
    expect((await second)?.error).toEqual(new Error('refused'))
    expect(shown.at(-1)).toBe('Second')
  })
})

describe('a write of an editor that opened before the response to the write before', () => {
  test('is compared with what the service saved', async () => {
    const { write, entities, sent, changes } = start()
    const saved = { id: 'entry', values: { step: [{ value: 'Second', active_from: 'now' }] } } as unknown as Entity // likewise
    const first = write('Second', entryIn('First'))
    const [seen] = entities
    ;(await sent(0)).resolve(saved)
    await first
    void write('Third', seen ?? saved)
    await sent(1)
    expect(changes[1]?.seen).toBe(saved.values.step ?? [])
  })
})

describe('a write after a conflict', () => {
  test('is compared with the values that the person saw', async () => {
    const { write, sent, changes } = start()
    const first = write('Second', entryIn('First'))
    const second = write('Third', entryIn('Second'))
    ;(await sent(0)).reject(new ValueConflict(entryIn('Theirs')))
    expect((await first)?.entity).toEqual(entryIn('Theirs'))
    ;(await sent(1)).reject(new ValueConflict(entryIn('Theirs')))
    expect((await second)?.entity).toEqual(entryIn('Theirs'))
    expect(changes.map(({ seen }) => seen[0]?.value)).toEqual(['First', 'First'])
  })
})

describe('a read', () => {
  test('is outdated for an entity whose write began while the read waited for another write', async () => {
    const { writes, write, sent } = start()
    const first = write('Second', entryIn('First'))
    const { reading, begun, finish } = readFrom(writes)
    const second = write('Third', entryIn('Second'))
    ;(await sent(0)).resolve(entryIn('Second'))
    await first
    await begun
    ;(await sent(1)).resolve(entryIn('Third'))
    await second
    finish([entryIn('Second')])
    expect((await reading).isOutdated('entry')).toBe(true)
  })

  test('is outdated for an entity that is written while it runs, also when the write ends first', async () => {
    const { writes, write, sent } = start()
    const { reading, begun, finish } = readFrom(writes)
    await begun
    const writing = write('Second', entryIn('First'))
    ;(await sent(0)).resolve(entryIn('Second'))
    await writing
    finish([entryIn('First')])
    expect((await reading).isOutdated('entry')).toBe(true)
  })

  test('waits for running writes, and is not outdated without later ones', async () => {
    const { writes, write, sent } = start()
    const writing = write('Second', entryIn('First'))
    const reading = writes.read(['entry'], async () => [entryIn('Second')])
    ;(await sent(0)).resolve(entryIn('Second'))
    await writing
    const { found, isOutdated } = await reading
    expect([found.map(stepOf), isOutdated('entry')]).toEqual([['Second'], false])
  })
})
