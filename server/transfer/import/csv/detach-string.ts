/**
 * Copies a string. A slice of a longer string keeps all of that string in memory, so a cache of a few characters of a file
 * would keep the file.
 */
export const detachString = (text: string): string => Buffer.from(text).toString()
