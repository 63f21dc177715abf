/** Notes: writing one by keyboard, following it in another tab, and how hostile texts are shown. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, type Console, expect, test } from '../../support/journey'

const person = async ({ v2 }: Console, name: string): Promise<string> =>
  (await v2('POST', '/objects/people/records', { data: { values: { name } } })).body.data.id.record_id

async function createNote({ v2 }: Console, recordId: string, title: string, content = ''): Promise<string> {
  const data = { parent_object: 'people', parent_record_id: recordId, title, format: 'markdown', content }
  return (await v2('POST', '/notes', { data })).body.data.id.note_id
}

const markdownOf = async ({ v2 }: Console, id: string): Promise<string> =>
  (await v2('GET', `/notes/${id}`)).body.data.content_markdown

const emailOf = async ({ v2 }: Console): Promise<string> =>
  (await v2('GET', '/workspace_members')).body.data[0].email_address

const text = (page: Page) => page.getByRole('textbox', { name: 'Note' })
const noteId = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''

/** A new note has an id when something of it is saved. */
async function createdId(page: Page): Promise<string> {
  await expect(page).toHaveURL(/\/notes\/[0-9a-f-]{36}$/)
  return noteId(page)
}

async function expectSaved(page: Page) {
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
}

test('a note is written by keyboard, and another tab shows it without a reload', async ({ page, context }) => {
  const own = await consoleOf(page.request)
  await person(own, 'Nora Notes')
  const other = await context.newPage()
  await other.goto('/notes?search=keyboard')
  await expect(other.getByText('No notes match these filters')).toBeVisible()

  await page.goto('/settings/account')
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await expect(page.getByRole('heading', { level: 1, name: 'Notes' })).toBeVisible()
  await page.keyboard.press('c')
  await expect(page.getByRole('dialog', { name: 'New note' })).toBeVisible()
  await page.keyboard.type('nora no')
  await expect(page.getByRole('option', { name: 'Nora Notes' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('option', { name: 'Nora Notes' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Create note' }).focus()
  await page.keyboard.press('Enter')

  await expect(page.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await page.keyboard.type('Written by keyboard')
  await page.keyboard.press('Enter')
  await expect(text(page)).toBeFocused()
  for (const line of ['# Goals', 'We **agreed** on *most* of ~~all~~ ==it==.', '- first', 'second']) {
    await page.keyboard.type(line)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('Tab')
  await page.keyboard.type('inner')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('1. one')
  await page.keyboard.press('Enter')
  await page.keyboard.type('see [the page](https://relata.dev)')
  const expected = [
    '# Goals',
    'We **agreed** on *most* of ~~all~~ ==it==.',
    '- first',
    '- second',
    '  - inner',
    '1. one',
    '2. see [the page](https://relata.dev)',
  ].join('\n')
  const id = await createdId(page)
  await expect.poll(() => markdownOf(own, id)).toBe(expected)
  await expectSaved(page)
  await expect(other.getByRole('link', { name: 'Written by keyboard' })).toBeVisible()
  await expectAccessible(page)
  await expectAccessible(other)

  // The shortcuts of the toolbar, and the way out of the text.
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+b')
  await expect(page.getByRole('button', { name: 'Bold' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('Control+b')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('toolbar', { name: 'Formatting' }).locator(':focus')).toBeVisible()

  await other.getByRole('link', { name: 'Written by keyboard' }).click()
  await expect(text(other).getByRole('heading', { name: 'Goals' })).toBeVisible()
  await page.bringToFront() // a browser says late where the cursor is in a tab that is not shown
  await text(page).getByRole('heading', { name: 'Goals' }).click()
  await expect(page.getByRole('button', { name: 'Heading 1' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('End')
  await page.keyboard.type(' of the year')
  await expect(text(page).getByRole('heading', { name: 'Goals of the year' })).toBeVisible()
  await expect(text(other).getByRole('heading', { name: 'Goals of the year' })).toBeVisible()
})

test('a new note that nobody writes leaves nothing behind', async ({ page }) => {
  const own = await consoleOf(page.request)
  const recordId = await person(own, 'Una Untouched')
  await page.goto(`/objects/people/${recordId}?tab=notes`)
  await page.getByRole('button', { name: 'New note' }).first().click()
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(text(page)).toBeFocused()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Una Untouched' }).click()
  await expect(page.getByText('No notes yet')).toBeVisible()
  const { body } = await own.v2('GET', `/notes?parent_object=people&parent_record_id=${recordId}`)
  expect(body.data).toEqual([])
})

test('checklists, quotes, code, typed links and mentions; the API has them as markdown', async ({ page }) => {
  const own = await consoleOf(page.request)
  const recordId = await person(own, 'Mona Mentioned')
  const id = await createNote(own, recordId, 'Forms', '- [ ] Call\n- [x] Write\n> Said\n```js\nlet *a*\n```')
  await page.goto(`/notes/${id}`)
  const boxes = text(page).getByRole('checkbox', { name: 'Done' })
  await expect(boxes).toHaveCount(2)
  await expect(boxes.nth(0)).not.toBeChecked()
  await expect(boxes.nth(1)).toBeChecked()
  await boxes.nth(0).click()
  await expect(boxes.nth(0)).toBeChecked()
  await expect.poll(() => markdownOf(own, id)).toContain('- [x] Call\n- [x] Write\n> Said\n```js\nlet *a*\n```')
  await expectAccessible(page)

  await text(page).press('Control+End')
  await expect(page.getByRole('button', { name: 'Code' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.type('\n/check')
  const list = (name: string) => page.getByRole('listbox', { name })
  await expect(list('Blocks').getByRole('option')).toHaveCount(1)
  await expectAccessible(page)
  await page.keyboard.type('\nask @mona')
  await expect(list('Members and records').getByRole('option', { name: 'Mona Mentioned' })).toBeVisible()
  await page.keyboard.type('\n and @ada l')
  await expect(list('Members and records').getByRole('option', { name: 'Ada Lovelace' })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.type('\nsee https://relata.dev/docs, soon\n\n> quoted\n/')
  await expect(list('Blocks')).toHaveCount(0)
  await page.keyboard.press('Backspace')
  await page.keyboard.type('\n/')
  await expect(list('Blocks')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list('Blocks')).toHaveCount(0)
  await expect(text(page)).toBeFocused()
  await page.keyboard.press('Backspace')
  await page.keyboard.type('```\na **b** c')
  const { origin, pathname } = new URL(page.url())
  const record = `${origin}${pathname.split('/notes')[0]}/objects/people/${recordId}`
  const expected = [
    `- [x] ask [Mona Mentioned](${record}) and [Ada Lovelace](mailto:${await emailOf(own)})`,
    '- [ ] see [https://relata.dev/docs](https://relata.dev/docs), soon',
    '> quoted',
    '```',
    'a **b** c',
    '```',
  ].join('\n')
  await expect.poll(() => markdownOf(own, id)).toContain(expected)
  const { tags } = (await own.v2('GET', `/notes/${id}`)).body.data
  // A link to a record is a tag at the public address of the service, which is another one here.
  expect(tags.map(({ type }: { type: string }) => type)).toEqual(['workspace-member'])
})

test('the record of a note stands beside it, is edited there, and stays for the next note', async ({ page }) => {
  const own = await consoleOf(page.request)
  const recordId = await person(own, 'Bea Beside')
  const id = await createNote(own, recordId, 'Beside', 'Text')
  await page.goto(`/notes/${id}`)
  const beside = page.getByRole('complementary', { name: 'Bea Beside' })
  await expect(text(page)).toBeVisible()
  await expect(beside).toHaveCount(0)
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await expect(beside).toContainText('Created by')
  await expect(text(page)).toBeVisible()
  await expectAccessible(page)
  await own.v2('PATCH', `/objects/people/records/${recordId}`, { data: { values: { job_title: 'Mathematician' } } })
  await expect(beside).toContainText('Mathematician')
  await page.goto(`/notes/${await createNote(own, recordId, 'Second')}`)
  await expect(beside).toContainText('Mathematician')
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await expect(beside).toHaveCount(0)
})

test('a note of a record is created, and deleted after a confirmation; another tab shows it', async ({
  page,
  context,
}) => {
  const own = await consoleOf(page.request)
  const recordId = await person(own, 'Rita Recorded')
  await page.goto(`/objects/people/${recordId}?tab=notes`)
  await expect(page.getByText('No notes yet')).toBeVisible()
  await page.getByRole('button', { name: 'New note' }).first().click()
  await page.getByRole('textbox', { name: 'Title' }).fill('About Rita')
  await page.getByRole('textbox', { name: 'Title' }).press('Tab')
  const id = await createdId(page)
  await expectSaved(page)
  await expect.poll(async () => (await own.v2('GET', `/notes/${id}`)).body.data.title).toBe('About Rita')
  await page.getByRole('link', { name: 'Rita Recorded' }).click()
  await expect(page.getByRole('list', { name: 'Notes about Rita Recorded' })).toContainText('About Rita')
  await expectAccessible(page)

  const other = await context.newPage()
  await other.goto(`/notes/${id}`)
  await expect(other.getByRole('heading', { level: 1, name: 'About Rita' })).toBeAttached()
  await page.getByRole('link', { name: 'About Rita' }).click()
  await page.getByRole('button', { name: 'Actions for this note' }).click()
  await page.getByRole('menuitem', { name: 'Delete note…' }).click()
  await expect(page.getByRole('dialog', { name: 'Delete “About Rita”?' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete note' }).click()
  await expect(page).toHaveURL(/\/notes$/)
  await expect(other.getByText('This note was deleted.')).toBeVisible()
  await page.goto(`/notes/${id}`)
  await expect(page.getByRole('heading', { name: 'Note not found' }).first()).toBeVisible()
})

test('hostile texts are shown as texts', async ({ page }) => {
  const own = await consoleOf(page.request)
  const recordId = await person(own, 'Hostile Hal')
  const content = [
    '<script>window.hacked = true</script><img src=x onerror="window.hacked = true">',
    '[click](javascript:window.hacked=true) <a href="javascript:window.hacked=true">me</a>',
    '![x](https://evil.example/x.png)',
    `${'> '.repeat(10_000)}deep`,
    `${'*'.repeat(4000)}a${'['.repeat(4000)}`,
  ].join('\n')
  const id = await createNote(own, recordId, '<b>Hostile</b>', content)
  const before = await markdownOf(own, id)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`/notes/${id}`)
  await expect(text(page)).toContainText('<script>window.hacked = true</script><img src=x')
  await expect(text(page)).toContainText('deep')
  await expect(text(page).locator('script, img:not(.ProseMirror-separator), b, a')).toHaveCount(0)
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(requests.filter((url) => url.includes('evil'))).toEqual([])

  // Typing in another line leaves these texts as they are.
  await text(page).press('Control+Home')
  await page.keyboard.type('!')
  await expect.poll(() => markdownOf(own, id)).toBe(`!${before}`)
  await page.goto('/notes?search=hostile')
  await expect(page.getByRole('link', { name: '<b>Hostile</b>' })).toBeVisible()
})

test('pasted HTML is reduced to what a note can hold', async ({ page }) => {
  const own = await consoleOf(page.request)
  const id = await createNote(own, await person(own, 'Paula Paste'), 'Pasted')
  await page.goto(`/notes/${id}`)
  await expect(text(page)).toBeVisible()
  const html = `<h5 style="color:red">Deep</h5><p onclick="x()">a<br>b <b>bold</b> <i>it</i> <a href="javascript:x()">no</a>
    <a href="https://relata.dev">yes</a><img src="https://evil.example/x.png"></p>
    <ul><li><p>one</p><ol><li>two</li></ol></li></ul><table><tr><td>cell</td></tr></table><script>x()</script>`
  await text(page).focus()
  await text(page).evaluate((element, html) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', html)
    clipboardData.setData('text/plain', 'plain')
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, html)
  const expected = '### Deep\na\nb **bold** *it* no [yes](https://relata.dev)\n- one\n  1. two\ncell'
  await expect.poll(() => markdownOf(own, id)).toBe(expected)
  await text(page).press('Control+a')
  await page.keyboard.type('link')
  await text(page).press('Control+a')
  await page.keyboard.press('Control+k')
  await page.getByLabel('URL').fill('javascript:alert(1)')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Enter a web address')).toBeVisible()
  await page.getByLabel('URL').fill('relata.dev/docs')
  await page.keyboard.press('Enter')
  await expect(text(page)).toBeFocused()
  await expect.poll(() => markdownOf(own, id)).toContain('[link](https://relata.dev/docs)')
})

test('notes are filtered by author and by object, which the address names', async ({ page }) => {
  const own = await consoleOf(page.request)
  await createNote(own, await person(own, 'Fil Filtered'), 'Filtered note')
  await page.goto('/notes?search=filtered')
  const link = page.getByRole('link', { name: 'Filtered note' })
  await page.getByLabel('Author').selectOption({ label: 'Ada Lovelace' })
  await expect(page).toHaveURL(/author=/)
  await expect(link).toBeVisible()
  await page.getByLabel('Records').selectOption({ label: 'Companies' })
  await expect(page).toHaveURL(/object=companies/)
  await expect(link).toHaveCount(0)
  await page.getByLabel('Records').selectOption({ label: 'People' })
  await expect(link).toBeVisible()
})

test('the editor is loaded when a note opens, and not before', async ({ page }) => {
  const own = await consoleOf(page.request)
  const id = await createNote(own, await person(own, 'Lazy Loading'), 'Loaded late')
  const scripts: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('.js') && response.status() === 200) scripts.push(response.text())
  })
  const hasEditor = async () => (await Promise.all(scripts)).some((text) => text.includes('ProseMirror'))
  await page.goto('/notes')
  await expect(page.getByRole('heading', { level: 1, name: 'Notes' })).toBeVisible()
  await page.waitForLoadState('load')
  expect(await hasEditor()).toBe(false)
  await page.goto(`/notes/${id}`)
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Loaded late')
  await expect.poll(hasEditor).toBe(true)
})
