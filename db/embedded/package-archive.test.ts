import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartError } from '../connect'
import { packPackage, unpackPackage } from './package-archive'

const folder = mkdtempSync(join(tmpdir(), 'relata package-'))
const archives = join(folder, 'archives')
const dataDir = join(folder, 'data')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

/** Makes the archive of a package of this version the one of the executable. */
async function install(version: string): Promise<string> {
  rmSync(archives, { recursive: true, force: true })
  write({ 'package/package.json': JSON.stringify({ version }) })
  const { name, bytes } = await packPackage(join(folder, 'package'))
  await Bun.write(join(archives, name), bytes)
  return join(archives, name)
}

beforeEach(async () => {
  rmSync(dataDir, { recursive: true, force: true })
  write({
    'package/native/bin/postgres': 'program',
    'package/native/lib/libpq.so.5': 'library',
    'package/native/empty': '',
  })
  if (!existsSync(join(folder, 'package/native/lib/libpq.so'))) {
    symlinkSync('libpq.so.5', join(folder, 'package/native/lib/libpq.so'))
  }
  await install('18.4.0')
})

describe('unpackPackage', () => {
  test('writes the files of the package, with programs that everybody may run', async () => {
    const unpacked = await unpackPackage(dataDir, archives)
    expect(unpacked).toStartWith(join(dataDir, 'programs/postgresql-18.4.0-'))
    expect([...new Bun.Glob('**').scanSync({ cwd: unpacked })].toSorted()).toEqual([
      'native/bin/postgres',
      'native/empty',
      'native/lib/libpq.so.5',
      'package.json',
    ])
    expect(readFileSync(join(unpacked, 'native/bin/postgres'), 'utf8')).toBe('program')
    expect(statSync(join(unpacked, 'native/bin/postgres')).mode & 0o777).toBe(0o755)
    expect(statSync(join(unpacked, 'native/lib/libpq.so.5')).mode & 0o777).toBe(0o644)
  })

  test('leaves unpacked files as they are, also with the links that were made beside them', async () => {
    const unpacked = await unpackPackage(dataDir, archives)
    symlinkSync('libpq.so.5', join(unpacked, 'native/lib/libpq.so'))
    const { ino } = statSync(unpacked)
    expect(await unpackPackage(dataDir, archives)).toBe(unpacked)
    expect(statSync(unpacked).ino).toBe(ino)
  })

  test.each<[string, (unpacked: string) => void]>([
    ['changed', (unpacked) => writeFileSync(join(unpacked, 'native/bin/postgres'), 'PROGRAM')],
    ['cut off', (unpacked) => writeFileSync(join(unpacked, 'native/lib/libpq.so.5'), '')],
    ['missing', (unpacked) => rmSync(join(unpacked, 'native/empty'))],
    ['added', (unpacked) => writeFileSync(join(unpacked, 'native/more'), '')],
  ])('unpacks again when a file is %s', async (_, damage) => {
    const unpacked = await unpackPackage(dataDir, archives)
    damage(unpacked)
    expect(await unpackPackage(dataDir, archives)).toBe(unpacked)
    expect(readFileSync(join(unpacked, 'native/bin/postgres'), 'utf8')).toBe('program')
    expect(readdirSync(join(unpacked, 'native')).toSorted()).toEqual(['bin', 'empty', 'lib'])
  })

  test('removes an older version, and what a killed start left', async () => {
    const older = await unpackPackage(dataDir, archives)
    await install('18.5.0')
    write({ 'data/programs/postgresql-18.5.0-x.unfinished/native/bin/postgres': 'half' })
    const newer = await unpackPackage(dataDir, archives)
    expect(newer).not.toBe(older)
    expect(readdirSync(join(dataDir, 'programs'))).toEqual([newer.slice(join(dataDir, 'programs/').length)])
  })

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['is cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['is empty', () => Buffer.alloc(0)],
    ['has other files', () => Buffer.from(Bun.zstdCompressSync(new Uint8Array(1024)))],
  ])('refuses an archive that %s, and leaves nothing', async (_, damage) => {
    const archive = await install('18.6.0')
    writeFileSync(archive, damage(readFileSync(archive)))
    const error = await unpackPackage(dataDir, archives).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StartError)
    expect(String(error)).toContain('This executable is damaged')
    expect(existsSync(join(dataDir, 'programs')) ? readdirSync(join(dataDir, 'programs')) : []).toEqual([])
  })

  test('leaves nothing when the data folder takes no files', async () => {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'programs'), 'a file')
    chmodSync(dataDir, 0o755)
    expect(await unpackPackage(dataDir, archives).catch(({ code }: { code: string }) => code)).toBe('ENOTDIR')
    expect(readdirSync(dataDir)).toEqual(['programs'])
  })
})
