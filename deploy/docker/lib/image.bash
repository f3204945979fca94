# shellcheck shell=bash
# Executes the Dockerfile without a container engine.

dockerfile=deploy/docker/Dockerfile

# copy_context FOLDER: copies the build context that `docker build .` would send. Supports only the patterns that the
# ignore file uses.
copy_context() {
  local folder=$1 line
  mkdir -p "$folder"
  # Files ignored by git are ignored here too, and files deleted but not committed do not exist.
  git ls-files -z --cached --others --exclude-standard | xargs -0 -r ls -d 2>/dev/null | tar -c -T - | tar -x -C "$folder"
  while read -r line; do
    case $line in
      '' | '#'*) ;;
      '**/'*) find "$folder" -name "${line#\*\*/}" -prune -exec rm -rf {} + ;;
      '!'*) install -D -m 644 "${line#!}" "$folder/${line#!}" ;;
      *) rm -rf "${folder:?}/$line" ;;
    esac
  done <deploy/docker/Dockerfile.dockerignore
  # Makes the files readable by their owner only, as in the most restrictive checkout.
  chmod -R go-rwx "$folder"
  # Reuses downloads with the same hashes.
  [[ ! -d .ci/runtime/node_modules ]] || cp -r .ci/runtime/node_modules "$folder/.ci/runtime/"
}

# run_lines STAGE: prints the commands of its RUN lines, without their mounts.
run_lines() {
  awk -v stage="$1" '/^FROM /{ here = ($NF == stage) } here && /^RUN /{ sub(/^RUN (--mount=[^ ]+ )*/, ""); print }' "$dockerfile"
}

# run_build_stage SOURCE TARGET: builds /opt/reelkeep of the image in TARGET.
run_build_stage() {
  local source=$1 target=$2 line
  while read -r line; do
    # Splits the line into words, as for a RUN line of this form, and passes only the environment of a build.
    # shellcheck disable=SC2086
    (cd "$source" && env -i PATH="$PATH" HOME="$HOME" ${line//\/opt\/reelkeep/$target}) || return
  done < <(run_lines build)
}

# make_root ROOT SOURCE TARGET: creates a Debian as in the image, with the service from TARGET.
make_root() {
  local root=$1 source=$2 target=$3 line
  debootstrap --variant=minbase bookworm "$root" || return
  # The base image has security updates; debootstrap uses only one suite.
  local mirror
  mirror=$(sed -n 's/^deb \(\[.*\] \)\{0,1\}\([^ ]*\) bookworm .*/\2/p' "$root/etc/apt/sources.list" | head -1)
  [[ $mirror != *deb.debian.org/debian ]] ||
    echo "deb ${mirror}-security bookworm-security main" >>"$root/etc/apt/sources.list"
  mkdir "$root/steps"
  cp "$source"/deploy/docker/steps/* "$root/steps/"
  while read -r line; do
    # shellcheck disable=SC2086
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin $line || return
  done < <(run_lines runtime)
  rm -r "$root/steps"
  cp -r "$target" "$root/opt/reelkeep"
}

# check_image FOLDER: checks that it contains only production files and a bill of materials, and that the service can
# read all of it and change none of it.
check_image() {
  local folder=$1 found
  found=$(find "$folder" -path "$folder/node_modules" -prune -o -name '*.test.ts' -print -quit)
  found+=$(find "$folder" -maxdepth 1 -name 'test*' -print)
  found+=$(find "$folder/node_modules/.pnpm" -maxdepth 1 \( -name 'vite*' -o -name 'typescript@*' \) -print)
  [[ -z $found ]] || { echo "test-image: $found does not belong in an image" >&2; return 1; }
  found=$(find "$folder" ! -type l \( -perm /022 -o ! -user root \) -print -quit)
  [[ -z $found ]] || { echo "test-image: $found is writable by the service" >&2; return 1; }
  found=$(find "$folder" ! -type l ! -perm -a+r -print -quit -o -type d ! -perm -a+x -print -quit)
  [[ -z $found ]] || { echo "test-image: $found is not readable by the service" >&2; return 1; }
  # shellcheck disable=SC2016
  "$folder/bin/node" -e '
    const { bomFormat, components } = JSON.parse(fs.readFileSync(process.argv[1]))
    const names = components.map(({ name }) => name)
    for (const name of ["fastify", "shaka-player", "onnxruntime-node"])
      if (!names.includes(name)) throw new Error(`the bill of materials lacks ${name}`)
    console.log(`        ${bomFormat} names ${components.length} packages`)' "$folder/sbom.cdx.json"
  echo "        /opt/reelkeep has $(du -sm "$folder" | cut -f1) MB"
  [[ ! -d $work/root ]] || echo "        the whole image has $(du -smx "$work/root" | cut -f1) MB, of $(wc -l <"$work/root/usr/share/reelkeep/debian-packages.tsv") Debian packages"
}
