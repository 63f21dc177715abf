import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../../api/errors'
import { Autosave, type NoteText, type SaveBase, type SaveStatus, type StoredText } from './autosave'

const note = (version: number, title: string, content: string): StoredText => ({
  version: String(version),
  title,
  content,
  written: content,
})

/** A service with one note, an editor, and a clock that a test moves. */
function setUp(base: Partial<SaveBase> = {}) {
  let stored = note(1, 'Title', 'text')
  let text: NoteText = { title: 'Title', content: 'text' }
  let failure: ApiError | undefined
  let isAnswerLost = false
  const timers: { ms: number; act: () => void }[] = []
  const statuses: SaveStatus<StoredText>[] = []
  const writes: unknown[] = []
  const autosave = new Autosave<StoredText>(
    { saved: stored, sent: [], ...base },
    {
      store: {
        async read() {
          if (failure) throw failure
          return stored
        },
        async write(change, version, { keepalive }) {
          if (failure) throw failure
          if (version !== stored.version) throw new ApiError(412, 'version_conflict', 'Changed.')
          writes.push({ ...change, ...(keepalive && { keepalive }) })
          const { title, content } = { ...stored, ...change }
          stored = note(Number(version) + 1, title, content)
          if (isAnswerLost) throw new ApiError(0, 'unreachable', 'Lost.')
          return stored
        },
      },
      text: () => text,
      show: (theirs, parts) => {
        text = {
          title: parts.title ? theirs.title : text.title,
          content: parts.content ? theirs.written : text.content,
        }
      },
      onstatus: (status) => statuses.push(status),
      wait: (ms, act) => {
        const timer = { ms, act }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0)
      },
    },
  )
  return {
    autosave,
    writes,
    timers,
    text: () => text,
    stored: () => stored,
    status: () => statuses.at(-1),
    write(change: Partial<NoteText>) {
      text = { ...text, ...change }
      autosave.edited()
    },
    others(change: Partial<NoteText>) {
      const { title, content } = { ...stored, ...change }
      stored = note(Number(stored.version) + 1, title, content)
    },
    fail: (error: ApiError | undefined) => (failure = error),
    loseAnswers: (isLost: boolean) => (isAnswerLost = isLost),
    /** Lets the pause end, and the save that follows it. */
    async pause() {
      timers.shift()?.act()
      await autosave.save()
    },
  }
}

describe('saving', () => {
  test('sends one request after a pause, with only the changed parts', async () => {
    const { write, writes, timers, pause, status } = setUp()
    write({ content: 'a' })
    write({ content: 'ab' })
    expect(status()).toEqual({ kind: 'saving' })
    expect(timers).toHaveLength(1)
    await pause()
    expect(writes).toEqual([{ content: 'ab' }])
    expect(status()).toEqual({ kind: 'saved' })
    write({ title: 'New' })
    await pause()
    expect(writes.at(-1)).toEqual({ title: 'New' })
  })

  test('sends nothing when the text is the saved one again', async () => {
    const { write, writes, pause, status } = setUp()
    write({ content: 'a' })
    write({ content: 'text' })
    await pause()
    expect(writes).toEqual([])
    expect(status()).toEqual({ kind: 'saved' })
  })

  test('sends text that was typed during a save in a second request', async () => {
    const { autosave, write, writes, timers, pause } = setUp()
    write({ content: 'a' })
    const saving = autosave.save()
    write({ content: 'ab' })
    await saving
    expect(timers.length).toBeGreaterThan(0)
    await pause()
    expect(writes).toEqual([{ content: 'a' }, { content: 'ab' }])
  })

  test('is retried after failures, with longer and longer pauses', async () => {
    const { write, writes, timers, pause, status, fail } = setUp()
    fail(new ApiError(0, 'unreachable', 'Offline.'))
    write({ content: 'a' })
    await pause()
    expect(status()).toEqual({ kind: 'failed' })
    expect(timers.map(({ ms }) => ms)).toEqual([1000])
    await pause()
    expect(timers.map(({ ms }) => ms)).toEqual([2000])
    write({ content: 'ab' })
    expect(status()).toEqual({ kind: 'failed' })
    fail(undefined)
    await pause()
    expect(writes).toEqual([{ content: 'ab' }])
    expect(status()).toEqual({ kind: 'saved' })
  })

  test('is not retried after the service refused the text, until the text changes', async () => {
    const { write, timers, pause, status, fail } = setUp()
    fail(new ApiError(413, 'validation_type', 'The content is too large.'))
    write({ content: 'long' })
    await pause()
    expect(status()).toEqual({ kind: 'refused', message: 'The content is too large.' })
    expect(timers).toHaveLength(0)
    fail(undefined)
    write({ content: 'short' })
    await pause()
    expect(status()).toEqual({ kind: 'saved' })
  })

  test('says that the note was deleted', async () => {
    const { write, pause, status, fail } = setUp()
    fail(new ApiError(404, 'not_found', 'Not found.'))
    write({ content: 'a' })
    await pause()
    expect(status()).toEqual({ kind: 'deleted' })
  })
})

describe('changes by other people', () => {
  test('are shown while this page has no unsaved text', async () => {
    const { autosave, others, text, status } = setUp()
    others({ content: 'theirs' })
    await autosave.refresh()
    expect(text().content).toBe('theirs')
    expect(status()).toEqual({ kind: 'saved' })
  })

  test('that were read before a save do not replace what was saved', async () => {
    const { autosave, others, write, text, stored } = setUp()
    others({ title: 'Their title' })
    const refreshing = autosave.refresh()
    write({ content: 'mine' })
    const saving = autosave.save()
    await Promise.all([refreshing, saving])
    await autosave.save()
    await autosave.save()
    expect(text()).toEqual({ title: 'Their title', content: 'mine' })
    expect(stored().content).toBe('mine')
  })

  test('are combined with unsaved text in another part of the note', async () => {
    const { others, write, pause, text, stored } = setUp()
    others({ title: 'Their title' })
    write({ content: 'mine' })
    await pause()
    await pause()
    expect(text()).toEqual({ title: 'Their title', content: 'mine' })
    expect(stored()).toMatchObject({ title: 'Their title', content: 'mine' })
  })

  test('in the same part are a conflict, and nothing is saved until it is resolved', async () => {
    const { others, write, writes, pause, stored, status, timers } = setUp()
    others({ content: 'theirs' })
    write({ content: 'mine' })
    await pause()
    expect(status()).toEqual({ kind: 'conflict', theirs: stored() })
    write({ content: 'mine, longer' })
    await pause()
    expect(writes).toEqual([])
    expect(timers).toHaveLength(0)
  })

  test('that equal the unsaved text are no conflict', async () => {
    const { others, write, pause, status } = setUp()
    others({ content: 'same' })
    write({ content: 'same' })
    await pause()
    expect(status()).toEqual({ kind: 'saved' })
  })

  test.each(['mine', 'theirs'] as const)('a conflict ends with %s', async (choice) => {
    const { autosave, others, write, pause, stored, text, status } = setUp()
    others({ content: 'theirs' })
    write({ content: 'mine' })
    await pause()
    await autosave.resolve(choice)
    expect(stored().content).toBe(choice)
    expect(text().content).toBe(choice)
    expect(status()).toEqual({ kind: 'saved' })
  })

  test('do not include a save of this page whose response was lost', async () => {
    const { write, writes, pause, loseAnswers, status } = setUp()
    loseAnswers(true)
    write({ content: 'a' })
    await pause()
    expect(status()).toEqual({ kind: 'failed' })
    loseAnswers(false)
    write({ content: 'ab' })
    await pause()
    await pause()
    expect(writes).toEqual([{ content: 'a' }, { content: 'ab' }])
    expect(status()).toEqual({ kind: 'saved' })
  })

  test('do not include the last save of the previous page', async () => {
    const saved = note(1, 'Title', 'text')
    const { autosave, others, write, pause, stored, status } = setUp({
      saved,
      sent: [{ title: 'Title', content: 'sent' }],
    })
    others({ content: 'sent' })
    write({ content: 'sent, and more' })
    await pause()
    await pause()
    expect(stored().content).toBe('sent, and more')
    expect(autosave.base.sent).toEqual([])
    expect(status()).toEqual({ kind: 'saved' })
  })
})

test('a page that is left sends the text with keepalive', async () => {
  const { autosave, write, writes } = setUp()
  write({ content: 'a' })
  expect(autosave.canLeave).toBe(true)
  await autosave.save({ keepalive: true })
  expect(writes).toEqual([{ content: 'a', keepalive: true }])
})
