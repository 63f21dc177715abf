import { describe, expect, test } from 'bun:test'
import { limitUnknownSecrets } from './secrets'

/** Waits until all pending microtasks have run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Look-ups end on a call of `end`. Secrets whose hash begins with `valid` are found. */
function startFinder() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const find = limitUnknownSecrets(async (hash) => {
    started.push(hash)
    await new Promise<void>((resolve) => ends.set(hash, resolve))
    return hash.startsWith('valid') ? { hash } : undefined
  })
  const end = async (hash: string) => {
    ends.get(hash)?.()
    await turn()
  }
  return { find, started, end }
}

describe('look-ups of secrets', () => {
  test('run two at a time, those of secrets that were found before at once', async () => {
    const { find, started, end } = startFinder()
    const first = find('valid-1')
    await end('valid-1')
    expect(await first).toEqual({ hash: 'valid-1' })
    const all = ['wrong-1', 'wrong-2', 'wrong-3', 'valid-1'].map(find)
    await turn()
    expect(started).toEqual(['valid-1', 'wrong-1', 'wrong-2', 'valid-1'])
    await end('wrong-1')
    expect(started.at(-1)).toBe('wrong-3')
    for (const hash of started) await end(hash)
    expect(await Promise.all(all)).toEqual([undefined, undefined, undefined, { hash: 'valid-1' }])
  })

  test('run for each request, also for those of one secret, because a look-up may count its requests', async () => {
    let count = 0
    const find = limitUnknownSecrets(async () => ({ number: ++count }))
    const found = await Promise.all(Array.from({ length: 40 }, () => find('new')))
    expect(found.map((each) => each?.number)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  test('a secret that is not valid any more is unknown', async () => {
    let isValid = true
    const started: string[] = []
    const held = Promise.withResolvers<undefined>()
    const find = limitUnknownSecrets(async (hash) => {
      started.push(hash)
      if (hash !== 'revoked') return held.promise
      return isValid ? { hash } : undefined
    })
    expect(await find('revoked')).toEqual({ hash: 'revoked' })
    isValid = false
    expect(await find('revoked')).toBeUndefined()
    const all = ['wrong-1', 'wrong-2', 'revoked'].map(find)
    await turn()
    expect(started).toEqual(['revoked', 'revoked', 'wrong-1', 'wrong-2'])
    held.resolve(undefined)
    expect(await Promise.all(all)).toEqual([undefined, undefined, undefined])
  })
})
