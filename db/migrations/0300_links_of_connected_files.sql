-- The address at which a connected file or folder is opened at its provider.
alter table relata.files add column url text check (url is null or storage_provider is not null);
