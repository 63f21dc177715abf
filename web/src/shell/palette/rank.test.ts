import Box from '@lucide/svelte/icons/box'
import { describe, expect, test } from 'bun:test'
import type { PaletteItem } from './items'
import { addRecords, rankGroups } from './rank'

const item = (label: string, rest: Partial<PaletteItem> = {}): PaletteItem => ({
  id: label,
  label,
  icon: Box,
  act: () => undefined,
  ...rest,
})

const PAGES = {
  label: 'Go to',
  items: [item('People'), item('New arrivals'), item('Members', { detail: 'Settings', words: 'invite colleagues' })],
}
const ACTIONS = {
  label: 'Actions',
  items: [item('New note'), item('New person', { isSearchedOnly: true })],
}

const labels = (query: string, records: readonly PaletteItem[] = []) =>
  addRecords(rankGroups([PAGES, ACTIONS], query), records, query).map(({ label, items }) => [
    label,
    ...items.map((one) => one.label),
  ])

describe('the order of the palette', () => {
  test('without a query, entries that only a search shows are hidden', () => {
    expect(labels('')).toEqual([
      ['Go to', 'People', 'New arrivals', 'Members'],
      ['Actions', 'New note'],
    ])
  })

  test('labels that begin with the query come first, then labels, then details', () => {
    expect(labels('pe')).toEqual([
      ['Go to', 'People'],
      ['Actions', 'New person'],
    ])
    expect(labels('person')).toEqual([['Actions', 'New person']])
    expect(labels('invite')).toEqual([['Go to', 'Members']])
    expect(labels('sett')).toEqual([['Go to', 'Members']])
    expect(labels('new pe')).toEqual([['Actions', 'New person']])
    expect(labels('zzz')).toEqual([])
  })

  test('records come before entries that match worse, and behind the others', () => {
    const records = [item('Peter Settle')]
    expect(labels('pe', records).map(([group]) => group)).toEqual(['Go to', 'Records', 'Actions'])
    expect(labels('sett', records).map(([group]) => group)).toEqual(['Records', 'Go to'])
    expect(labels('xyz', records).map(([group]) => group)).toEqual(['Records'])
  })
})
