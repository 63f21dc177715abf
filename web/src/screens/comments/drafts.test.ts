import { beforeEach, expect, test } from 'bun:test'
import { findDraft, removeDraft, storeDraft } from './drafts'

/** The part of the browser's storage that drafts use. */
class FakeStorage {
  readonly items = new Map<string, string>()
  isFull = false
  getItem = (key: string) => this.items.get(key) ?? null
  removeItem = (key: string) => this.items.delete(key)
  setItem = (key: string, text: string) => {
    if (this.isFull) throw new DOMException('full', 'QuotaExceededError')
    this.items.set(key, text)
  }
}

let storage: FakeStorage
beforeEach(() => {
  storage = new FakeStorage()
  Object.defineProperty(globalThis, 'sessionStorage', { value: storage, configurable: true })
})

test('a draft is found by the id that it was stored with only', () => {
  storeDraft('record', 'About the record')
  storeDraft('thread', 'A reply')
  expect(findDraft('record')).toBe('About the record')
  expect(findDraft('thread')).toBe('A reply')
  expect(findDraft('entry')).toBe('')
})

test('a text that was emptied has no draft', () => {
  storeDraft('record', 'Text')
  storeDraft('record', ' \n')
  expect(storage.items.size).toBe(0)
})

test('a removed draft is not found', () => {
  storeDraft('entry', 'Text')
  removeDraft('entry')
  expect(findDraft('entry')).toBe('')
})

test('a full storage is no error', () => {
  storage.isFull = true
  storeDraft('record', 'Text')
  expect(findDraft('record')).toBe('')
})
