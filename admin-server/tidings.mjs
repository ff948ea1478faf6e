#!/usr/bin/env node
// The command is there before the build, since npm links it while it installs.
import "./dist/tidings/main.js";
