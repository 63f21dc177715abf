import { describe, expect, test } from 'bun:test'
import { createTargetPolicy, isPublicAddress, TargetRefused } from './target'

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
]

const NOT_PUBLIC = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '::2',
  '4000::1',
  '8000::1',
  '64:ff9b::808:808',
  '2002:808:808::1',
  'fe80::1%eth0',
  '::1%lo',
  '10.0.0.1%eth0',
  '127.1',
  '0177.0.0.1',
  'not an address',
]

describe('isPublicAddress', () => {
  test.each(PUBLIC)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))
  test.each(NOT_PUBLIC)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))
})

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'good.example': ['93.184.216.34'],
  'inside.example': ['10.0.0.7'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'six.example': ['2606:4700:4700::1111'],
}

const resolve = async (host: string) => {
  const found = HOSTS[host]
  if (found === undefined) throw new Error('ENOTFOUND')
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

describe('refusal', () => {
  const strict = createTargetPolicy({ allowPrivate: false, resolve })
  const HTTPS_ONLY =
    'The target must begin with https://. For development, the setting RELATA_ALLOW_PRIVATE_TARGETS=1 also allows http://.'
  const NOT_PUBLIC_TEXT = 'The target resolves to an address that is not public.'
  const cases: [target: string, refusal: string | undefined][] = [
    ['https://good.example/hook', undefined],
    ['https://good.example:8443/hook?x=1', undefined],
    ['https://six.example', undefined],
    ['https://nowhere.example/', undefined],
    ['http://good.example/', HTTPS_ONLY],
    ['ftp://good.example/', HTTPS_ONLY],
    ['https://', 'Not a URL.'],
    ['https://user:pass@good.example/', 'The target may not hold credentials.'],
    ['https://user@good.example/', 'The target may not hold credentials.'],
    ['https://good.example/#x', 'The target may not have a fragment.'],
    ['https://good.example/#', 'The target may not have a fragment.'],
    ['https://good.example:22/', 'The port of the target must be 443, or 1024 and above.'],
    ['https://good.example:80/', 'The port of the target must be 443, or 1024 and above.'],
    [`https://good.example/${'x'.repeat(2048)}`, 'The target may have at most 2048 characters.'],
    ['https://inside.example/', NOT_PUBLIC_TEXT],
    ['https://mixed.example/', NOT_PUBLIC_TEXT],
    ['https://127.0.0.1/', NOT_PUBLIC_TEXT],
    ['https://127.1/', NOT_PUBLIC_TEXT],
    ['https://2130706433/', NOT_PUBLIC_TEXT],
    ['https://0x7f.0.0.1/', NOT_PUBLIC_TEXT],
    ['https://0177.0.0.1/', NOT_PUBLIC_TEXT],
    ['https://[::1]/', NOT_PUBLIC_TEXT],
    ['https://[::ffff:127.0.0.1]/', NOT_PUBLIC_TEXT],
    ['https://[fe80::1]/', NOT_PUBLIC_TEXT],
    ['https://169.254.169.254/latest/meta-data', NOT_PUBLIC_TEXT],
  ]
  test.each(cases)('of %s', async (target, refusal) => {
    expect(await strict.refusal(target)).toBe(refusal)
  })

  test('with private targets allowed, only the form of the URL is checked', async () => {
    const lenient = createTargetPolicy({ allowPrivate: true, resolve })
    expect(await lenient.refusal('http://127.0.0.1:80/hook')).toBe(undefined)
    expect(await lenient.refusal('http://inside.example/')).toBe(undefined)
    expect(await lenient.refusal('http://a:b@127.0.0.1/')).toBe('The target may not hold credentials.')
    expect(await lenient.refusal('file:///etc/passwd')).toBe('The target must begin with https:// or http://.')
  })
})

describe('test endpoints', () => {
  const own = { prefix: 'https://crm.example/hooks/', local: 'http://127.0.0.1:8080/hooks/' }
  const resolvePublic = async () => [{ address: '93.184.216.34', family: 4 }]
  const targets = createTargetPolicy({ allowPrivate: false, own, resolve: resolvePublic })
  const lenient = createTargetPolicy({ allowPrivate: true, own, resolve: resolvePublic })

  test.each([
    ['https://crm.example/hooks/5f3c', 'http://127.0.0.1:8080/hooks/5f3c'],
    ['https://CRM.example:443/hooks/5f3c/deeper?x=1', 'http://127.0.0.1:8080/hooks/5f3c/deeper?x=1'],
    ['https://crm.example/hooks/a/../5f3c', 'http://127.0.0.1:8080/hooks/5f3c'],
  ])('%s is sent to the local address', async (target, inside) => {
    expect(targets.localAddressOf(target)).toBe(inside)
    expect(await targets.refusal(target)).toBe(undefined)
  })

  const ELSEWHERE = [
    'https://crm.example/hooks/../oauth/token',
    'https://crm.example/hooks/x/../../oauth/token',
    'https://crm.example/hooks/%2e%2e/oauth/token',
    'https://crm.example/hooks/.%2E/oauth/token',
    'https://crm.example/hooks/..\\..\\oauth/token',
    'https://crm.example/hooks\\..\\oauth/token',
    'https://crm.example/hooks/\t../oauth/token',
    'https://crm.example/hooks/',
    'https://crm.example/oauth/token',
    'https://crm.example/',
    'https://crm.example./oauth/token',
  ]
  test.each(ELSEWHERE)('%s is refused, and nothing is sent', async (target) => {
    for (const each of [targets, lenient]) {
      expect(each.localAddressOf(target)).toBe(undefined)
      expect(await each.refusal(target)).toBe(
        'The target is this service itself, of which only test endpoints take messages.',
      )
      await expect(each.locate(new URL(target))).rejects.toBeInstanceOf(TargetRefused)
    }
  })

  test('the local address is refused as well', async () => {
    expect(lenient.localAddressOf('http://127.0.0.1:8080/oauth/token')).toBe(undefined)
    await expect(lenient.locate(new URL('http://127.0.0.1:8080/oauth/token'))).rejects.toBeInstanceOf(TargetRefused)
    expect(await lenient.locate(new URL('http://127.0.0.1:9090/hooks'))).toEqual({ address: '127.0.0.1', family: 4 })
  })

  test.each(['https://a@crm.example/hooks/5f3c', 'https://crm.example/hooks/5f3c#x'])(
    '%s is refused',
    async (target) => {
      expect(targets.localAddressOf(target)).toBe(undefined)
      expect(await targets.refusal(target)).toBeDefined()
    },
  )
})

describe('locate', () => {
  test('refuses a name that resolves to a private address later', async () => {
    let address = '93.184.216.34'
    const targets = createTargetPolicy({ allowPrivate: false, resolve: async () => [{ address, family: 4 }] })
    const url = new URL('https://moving.example/')
    expect(await targets.locate(url)).toEqual({ address, family: 4 })
    address = '127.0.0.1'
    await expect(targets.locate(url)).rejects.toBeInstanceOf(TargetRefused)
  })
})
