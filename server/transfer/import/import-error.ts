/** The import cannot be done as requested. The message says why, and what the person can do. */
export class ImportError extends Error {}
