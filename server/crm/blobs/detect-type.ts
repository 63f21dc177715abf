/** Finds the type of a file in its first bytes. */

import { fileTypeFromBuffer } from 'file-type'

/** Undefined for texts, which have no such bytes, and for bytes that are no known type. */
export async function detectType(beginning: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(beginning))?.mime
  } catch {
    // The beginning ends within something that the type requires.
    return undefined
  }
}
