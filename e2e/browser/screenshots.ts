/** Makes the pictures of the README: `bun web/build.ts && TEST_ADMIN_URL=… bun e2e/browser/screenshots.ts`. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright'
import { keyIn } from '../support/service/start'
import { findChromium } from './support/find-chromium'
import { ADMIN, signIn } from './support/journey'
import { startOwnService } from './support/own-service'

const FOLDER = join(import.meta.dir, '../../docs/images')

const COMPANIES = [
  ['Analytical Engines', 'analytical-engines.com', 'Machines that compute, and the cards that instruct them.'],
  ['Harbour Maps', 'harbour-maps.com', 'Charts of coasts, corrected every tide.'],
  ['Copper & Sons', 'copper-and-sons.com', 'Wire, sheets and telegraph cable.'],
  ['North Light', 'north-light.com', 'Lenses for lighthouses and observatories.'],
  ['Fieldwork', 'fieldwork.com', 'Surveys of soil and water for farms.'],
  ['Paper Garden', 'paper-garden.com', 'Seeds by mail, with a printed catalogue.'],
] as const

const PEOPLE = [
  ['Ada', 'Lovelace', 'Head of Research', 0],
  ['Charles', 'Babbage', 'Founder', 0],
  ['Mary', 'Somerville', 'Astronomer', 3],
  ['Caroline', 'Herschel', 'Director of Optics', 3],
  ['Sophie', 'Germain', 'Engineer', 2],
  ['Mary', 'Anning', 'Field Lead', 4],
  ['Ada', 'Coleman', 'Sales', 5],
  ['Matthew', 'Maury', 'Cartographer', 1],
  ['Florence', 'Nightingale', 'Statistician', 4],
  ['Hertha', 'Ayrton', 'Electrical Engineer', 2],
  ['Maria', 'Mitchell', 'Observer', 3],
  ['George', 'Boole', 'Advisor', 0],
] as const

const service = await startOwnService({ RELATA_WORKSPACE_NAME: 'Analytical Engines' })
try {
  const recordId = await seed(keyIn(service.output()))
  await takePictures(recordId)
} finally {
  await service.stop()
}

/** Writes sample records. Returns the id of the company whose page is shown. */
async function seed(key: string): Promise<string> {
  const post = async (path: string, data: unknown) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${service.url}/v2${path}`, { method: 'POST', headers, body: JSON.stringify({ data }) })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()).data
  }
  const companies: string[] = []
  for (const [name, domain, description] of COMPANIES) {
    const record = await post('/objects/companies/records', { values: { name, domains: [domain], description } })
    companies.push(record.id.record_id)
  }
  for (const [first_name, last_name, job_title, company] of PEOPLE) {
    const email = `${first_name}.${last_name}@${COMPANIES[company][1]}`.toLowerCase()
    const name = { first_name, last_name, full_name: `${first_name} ${last_name}` }
    const employer = [{ target_object: 'companies', target_record_id: companies[company] }]
    await post('/objects/people/records', { values: { name, job_title, email_addresses: [email], company: employer } })
  }
  const [shown = ''] = companies
  for (const [name, value] of [
    ['Printer for the tables', 24_000],
    ['Second mill', 61_500],
  ] as const) {
    const associated_company = [{ target_object: 'companies', target_record_id: shown }]
    await post('/objects/deals/records', {
      values: { name, value, stage: 'Lead', owner: ADMIN.email, associated_company },
    })
  }
  const linked_records = [{ target_object: 'companies', target_record_id: shown }]
  const task = { format: 'plaintext', is_completed: false, assignees: [], linked_records }
  await post('/tasks', { ...task, content: 'Send the drawings of the mill', deadline_at: '2030-03-01T09:00:00Z' })
  await post('/tasks', { ...task, content: 'Agree on the price of the cards', deadline_at: null })
  await post('/notes', {
    parent_object: 'companies',
    parent_record_id: shown,
    title: 'First visit',
    format: 'markdown',
    content: 'The **mill** runs. They want *twelve* stores, and ask for a price of the printer.',
  })
  return shown
}

async function takePictures(recordId: string): Promise<void> {
  const executablePath = await findChromium()
  const browser = await chromium.launch({ args: ['--no-sandbox'], ...(executablePath && { executablePath }) })
  try {
    const page = await browser.newPage({ baseURL: service.url, viewport: { width: 1280, height: 720 } })
    await page.goto('/')
    await signIn(page, ADMIN.email, ADMIN.password)
    await page.getByRole('navigation', { name: 'Workspace' }).getByText('People').click()
    await page.getByText('Ada Lovelace').first().waitFor()
    await page.getByText('Analytical Engines').nth(1).waitFor()
    await save(page, 'table')
    await page.goto(`/objects/companies/${recordId}`)
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByText('First visit').first().waitFor()
    await save(page, 'record')
  } finally {
    await browser.close()
  }
}

async function save(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' })
}
