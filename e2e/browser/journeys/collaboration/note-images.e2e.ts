/** Images of notes: pasted, dropped and chosen, kept as markdown, deleted with the note. */

import type { Locator, Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Sends an event with a file to the text, as a browser does for a paste or a drop. */
const send = (text: Locator, kind: 'paste' | 'drop', name: string, type = 'image/png') =>
  text.evaluate(
    (element, { kind, name, type, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], name, { type }))
      const { left, top } = element.getBoundingClientRect()
      const common = { bubbles: true, cancelable: true }
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...common, clipboardData: data })
          : new DragEvent('drop', { ...common, dataTransfer: data, clientX: left + 5, clientY: top + 5 })
      element.dispatchEvent(event)
    },
    { kind, name, type, base64: PNG },
  )

async function seedPerson(page: Page) {
  const { v2, create } = await consoleOf(page.request)
  const record = (await create('/objects/people/records', { values: { name: 'Gaskell, Elizabeth' } })).id.record_id
  const notesOf = async () => (await v2('GET', `/notes?parent_object=people&parent_record_id=${record}`)).body.data
  const files = async (query = '') => (await v2('GET', `/files?object=people&record_id=${record}${query}`)).body.data
  return { v2, record, notesOf, files }
}

test('an image is pasted into a new note, stays after a reload, and is deleted with the note', async ({ page }) => {
  const { v2, record, notesOf, files } = await seedPerson(page)
  await page.goto(`/notes/new?object=people&record=${record}`)
  const text = page.getByRole('textbox', { name: 'Note' })
  await text.click()
  await send(text, 'paste', 'mill [north].png')
  const image = (name: string) => text.getByRole('img', { name })
  await expect(image('mill [north].png')).toBeVisible()
  await expect
    .poll(() => image('mill [north].png').evaluate((element: HTMLImageElement) => element.naturalWidth))
    .toBe(1)
  await page.keyboard.type(' seen from the river')
  await expectAccessible(page)
  await expect.poll(async () => (await notesOf())[0]?.content_markdown).toMatch(/river$/)
  const [note] = await notesOf()
  const { note_id } = note.id
  const [stored] = await files(`&note_id=${note_id}`)
  expect(note.content_markdown).toBe(`![mill  north .png](/v2/files/${stored.id.file_id}/download) seen from the river`)
  expect(await files()).toEqual([])

  await page.reload()
  await expect(image('mill north .png')).toBeVisible()
  await send(text, 'drop', 'loom.png')
  await expect(image('loom.png')).toBeVisible()
  await send(text, 'drop', 'plan.pdf', 'application/pdf')
  await expect(page.getByText('Notes can have PNG, JPEG, GIF, WebP and AVIF images.')).toBeVisible()
  await page.getByLabel('Image files').setInputFiles({
    name: 'broken.png',
    mimeType: 'image/png',
    buffer: Buffer.from('no image'),
  })
  await expect(page.getByText("“broken.png” wasn't added. The image of a note is a PNG")).toBeVisible()
  await expect(text.getByText('Adding image…')).toHaveCount(0)

  // An image is selected and deleted as one character, and comes back with undo.
  await image('loom.png').click()
  await page.keyboard.press('Delete')
  await expect(image('loom.png')).toHaveCount(0)
  await page.keyboard.press('Control+z')
  await expect(image('loom.png')).toBeVisible()
  await expect.poll(async () => (await notesOf())[0]?.content_markdown).toContain('![loom.png](')
  expect(await files(`&note_id=${note_id}`)).toHaveLength(2)

  await v2('DELETE', `/notes/${note_id}`)
  expect(await files(`&note_id=${note_id}`)).toEqual([])
  expect((await v2('GET', `/files/${stored.id.file_id}`)).status).toBe(404)
})

test('an image that is pasted into a note of another record becomes a file of that note', async ({ page }) => {
  const { v2, record, notesOf } = await seedPerson(page)
  const other = await seedPerson(page)
  await page.goto(`/notes/new?object=people&record=${record}`)
  const text = page.getByRole('textbox', { name: 'Note' })
  await text.click()
  await send(text, 'paste', 'mill.png')
  await expect(text.getByRole('img', { name: 'mill.png' })).toBeVisible()
  await expect.poll(async () => (await notesOf())[0]?.content_markdown).toContain('![mill.png](')
  const html = await text.getByRole('img', { name: 'mill.png' }).evaluate(({ outerHTML }) => outerHTML)

  await page.goto(`/notes/new?object=people&record=${other.record}`)
  await text.click()
  await text.evaluate((element, copied) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', copied)
    clipboardData.setData('text/plain', 'mill.png')
    element.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }))
  }, html)
  await expect(text.getByRole('img', { name: 'mill.png' })).toBeVisible()
  await expect.poll(async () => (await other.notesOf())[0]?.content_markdown).toContain('![mill.png](')
  const noteId = (await other.notesOf())[0].id.note_id
  await expect.poll(async () => (await other.files(`&note_id=${noteId}`)).length).toBe(1)
  const [copy] = await other.files(`&note_id=${noteId}`)
  await expect.poll(async () => (await other.notesOf())[0].content_markdown).toContain(copy.id.file_id)

  await v2('DELETE', `/notes/${(await notesOf())[0].id.note_id}`)
  await page.reload()
  const width = () => text.getByRole('img', { name: 'mill.png' }).evaluate((one: HTMLImageElement) => one.naturalWidth)
  await expect.poll(width).toBe(1)
})
