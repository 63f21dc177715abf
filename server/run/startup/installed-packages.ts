/**
 * Checks before anything else that the packages of `package.json` are installed, with the patch of the driver. Imports no
 * package: without an installation, Bun would load packages from its cache, in which the driver is not patched.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  /** The path of a patch by the name and version of its package. */
  readonly patchedDependencies: Readonly<Record<string, string>>
}

/** Imports the modules of the program, which an executable contains. Without a complete installation, prints what to do and ends the process. */
export async function importInstalled<T>(load: () => Promise<T>): Promise<T> {
  if (Bun.isStandaloneExecutable) return load()
  try {
    const problem = findInstallationProblem()
    if (problem === undefined) return await load()
    console.error(problem)
  } catch (error) {
    if (!isMissingFile(error)) throw error
    console.error(`The installation in ${ROOT} is incomplete (${error.message}); install Relata again.`)
  }
  process.exit(1)
}

/** Returns a sentence for the operator; undefined when everything is installed. */
export function findInstallationProblem(root = ROOT): string | undefined {
  const { dependencies, patchedDependencies }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const missing = Object.entries(dependencies).filter(([name, version]) => installedVersion(root, name) !== version)
  if (missing.length > 0) {
    const isEmpty = !existsSync(join(root, 'node_modules'))
    const names = isEmpty ? 'none is there' : missing.map(([name, version]) => `${name} ${version}`).join(', ')
    return `Packages of Relata are not installed (${names}); run "bun install --frozen-lockfile" in ${root}, or start with "bun start".`
  }
  const [unpatched] = Object.entries(patchedDependencies).filter(([key, patch]) => !isApplied(root, key, patch))
  if (unpatched === undefined) return undefined
  const [key, patch] = unpatched
  return `The package ${key} is installed without its patch ${patch}; remove node_modules and run "bun install --frozen-lockfile" in ${root}.`
}

function installedVersion(root: string, name: string): string | undefined {
  const file = join(root, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}

/** `key` is the name and the version of the package, such as `postgres@3.4.9`. */
function isApplied(root: string, key: string, patch: string): boolean {
  const folder = join(root, 'node_modules', key.slice(0, key.lastIndexOf('@')))
  return patchedFiles(readFileSync(join(root, patch), 'utf8')).every(({ file, added }) => {
    const installed = readFileSync(join(folder, file), 'utf8')
    return added.every((line) => installed.includes(line))
  })
}

/** The files of a patch, each with the lines that the patch adds. */
const patchedFiles = (patch: string) =>
  patch.split(/^diff --git /m).flatMap((part) => {
    const file = /^\+\+\+ b\/(.+)$/m.exec(part)?.[1]
    return file ? [{ file, added: [...part.matchAll(/^\+(?!\+\+ )(.*)$/gm)].map(([, line]) => String(line)) }] : []
  })

/** Also for a file that a module reads when it is loaded. */
const isMissingFile = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'ENOENT')
