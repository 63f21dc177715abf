import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verificationCode } from './verification-code'

const samples = verificationCode('acme-crm')

test('every sample names the header of this service', () => {
  for (const { code } of samples) expect(code).toContain('the header Acme-crm-Signature')
})

test('the JavaScript sample verifies a signature', async () => {
  const shown = samples.find(({ language }) => language === 'JavaScript')?.code ?? ''
  const file = join(tmpdir(), `relata-${crypto.randomUUID()}.mjs`)
  await Bun.write(file, `${shown}\nexport { isFromAcmecrm }`)
  const { isFromAcmecrm: isFrom } = await import(file)
  await Bun.file(file).delete()
  const body = Buffer.from('{"webhook_id":"x","events":[{"ü":"€"}]}')
  const signature = createHmac('sha256', 'secret').update(body).digest('hex')
  expect(isFrom(body, signature, 'secret')).toBe(true)
  for (const wrong of [undefined, '', 'x', signature.replace(/^./, 'z')])
    expect(isFrom(body, wrong, 'secret')).toBe(false)
})
