-- Stores a secret for the signed addresses of downloads, once it was rotated. Before, the secret of the workspace signs them.
alter table relata.workspaces add column download_secret text;
